import { jsonEqual } from '../../kube/json-equal.ts';
import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { ObjectReader } from '../registry/admission-chain.ts';
import type { Refuse } from './refuse.ts';

/** What admission does to new pods: priorities, default tolerations, runtime classes. */

const withSpec = (pod: JsonObject, spec: JsonObject): JsonObject => ({
  ...pod,
  spec: { ...asObject(pod.spec), ...spec },
});

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

const tolerates = (tolerations: readonly JsonObject[], key: string): boolean =>
  tolerations.some((toleration) => {
    const [own, effect] = [asString(toleration.key), asString(toleration.effect)];
    return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
  });

/** Pods outlive a node's failure by five minutes unless they say something else. */
export const withDefaultTolerations = (pod: JsonObject): JsonObject => {
  const tolerations = asObjects(asObject(pod.spec).tolerations);
  const missing = [NOT_READY, UNREACHABLE].filter((key) => !tolerates(tolerations, key));
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return withSpec(pod, { tolerations: [...tolerations, ...added] });
};

const CLASSES = 'scheduling.k8s.io/priorityclasses';

const defaultClass = (objects: ObjectReader): JsonObject | undefined =>
  objects
    .list(CLASSES)
    .filter(({ globalDefault }) => globalDefault === true)
    .sort((one, other) => asNumber(one.value) - asNumber(other.value))[0];

export const withPriority = (pod: JsonObject, objects: ObjectReader, refuse: Refuse): JsonObject => {
  const { priority, preemptionPolicy, priorityClassName } = asObject(pod.spec);
  const name = asString(priorityClassName);
  const chosen = name === '' ? defaultClass(objects) : objects.get(CLASSES, '', name);
  if (name !== '' && chosen === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
  const value = asNumber(chosen?.value);
  const policy = asString(chosen?.preemptionPolicy) || 'PreemptLowerPriority';
  const computed = (what: string, given: string, found: string): string =>
    `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${found} from the given PriorityClass name`;
  if (priority !== undefined && priority !== value) {
    throw refuse(computed('integer value of priority', String(asNumber(priority)), String(value)));
  }
  if (preemptionPolicy !== undefined && preemptionPolicy !== policy) {
    throw refuse(computed('string value of PreemptionPolicy', asString(preemptionPolicy), policy));
  }
  const className = asString(asObject(chosen?.metadata).name);
  return withSpec(pod, {
    priority: value,
    preemptionPolicy: policy,
    ...(className === '' ? {} : { priorityClassName: className }),
  });
};

/** An update that leaves the priority out keeps it. */
export const keepPriority = (pod: JsonObject, old: JsonObject): JsonObject => {
  const [spec, before] = [asObject(pod.spec), asObject(old.spec)];
  const kept = ['priority', 'preemptionPolicy'].filter(
    (name) => spec[name] === undefined && before[name] !== undefined,
  );
  return kept.length === 0 ? pod : withSpec(pod, Object.fromEntries(kept.map((name) => [name, before[name] ?? null])));
};

const runtimeClassOf = (pod: JsonObject, objects: ObjectReader, refuse: Refuse): JsonObject | undefined => {
  const { runtimeClassName } = asObject(pod.spec);
  if (runtimeClassName === undefined) return undefined;
  const name = asString(runtimeClassName);
  const found = objects.get('node.k8s.io/runtimeclasses', '', name);
  if (found === undefined) throw refuse(`pod rejected: RuntimeClass "${name}" not found`);
  return found;
};

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

const withScheduling = (pod: JsonObject, scheduling: JsonObject, refuse: Refuse): JsonObject => {
  const own = asObject(asObject(pod.spec).nodeSelector);
  const wanted = asObject(scheduling.nodeSelector);
  for (const [key, value] of Object.entries(wanted)) {
    if (own[key] === undefined || own[key] === value) continue;
    throw refuse(
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${asString(value)}; pod.spec.nodeSelector[${key}] = ${asString(own[key])}`,
    );
  }
  const nodeSelector = { ...own, ...wanted };
  const tolerations = asArray(asObject(pod.spec).tolerations);
  const added = asObjects(scheduling.tolerations).filter((one) => !tolerations.some((other) => jsonEqual(one, other)));
  return withSpec(pod, {
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
    ...(tolerations.length + added.length > 0 ? { tolerations: [...tolerations, ...added] } : {}),
  });
};

export const withRuntimeClass = (pod: JsonObject, objects: ObjectReader, refuse: Refuse): JsonObject => {
  const found = runtimeClassOf(pod, objects, refuse);
  if (found === undefined) return pod;
  let changed = pod;
  if (found.overhead !== undefined) {
    const fixed = asObject(asObject(found.overhead).podFixed);
    const own = asObject(asObject(pod.spec).overhead);
    if (Object.keys(own).length > 0 && !jsonEqual(own, fixed)) throw refuse(MISMATCH);
    changed = withSpec(changed, { overhead: fixed });
  }
  return found.scheduling === undefined ? changed : withScheduling(changed, asObject(found.scheduling), refuse);
};

/** A pod's overhead may only be its runtime class's. */
export const checkOverhead = (pod: JsonObject, objects: ObjectReader, refuse: Refuse): void => {
  const found = runtimeClassOf(pod, objects, refuse);
  const { overhead } = asObject(pod.spec);
  if (found?.overhead === undefined) {
    if (overhead === undefined) return;
    throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
  if (!jsonEqual(asObject(asObject(found.overhead).podFixed), asObject(overhead))) throw refuse(MISMATCH);
};
