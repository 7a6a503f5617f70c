import { compareQuantities, quantityMilli } from '../../kube/quantity.ts';
import { asObject, asObjects, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import type { ObjectReader } from '../registry/admission-chain.ts';
import { printQuantity, quantityOf } from '../validation/resource-names.ts';
import { podAmounts } from './pod-amounts.ts';
import type { Refuse } from './refuse.ts';

/** Defaults and bounds out of a namespace's LimitRanges (plugin/pkg/admission/limitranger). */

const ANNOTATION = 'kubernetes.io/limit-ranger';

const limitsIn = (objects: ObjectReader, namespace: string): readonly JsonObject[] =>
  objects.list('limitranges', namespace).flatMap((range) => asObjects(asObject(range.spec).limits));

interface Filled {
  readonly container: JsonObject;
  readonly notes: readonly string[];
}

const fillContainer = (container: JsonObject, limit: JsonObject, what: string): Filled => {
  const resources = asObject(container.resources);
  const filled: Record<string, JsonObject> = {};
  const notes: string[] = [];
  for (const [part, defaults] of [
    ['requests', asObject(limit.defaultRequest)],
    ['limits', asObject(limit.default)],
  ] as const) {
    const own = asObject(resources[part]);
    const missing = Object.keys(defaults).filter((name) => own[name] === undefined);
    filled[part] = { ...own, ...Object.fromEntries(missing.map((name) => [name, defaults[name] ?? '0'])) };
    if (missing.length === 0) continue;
    notes.push(`${missing.sort().join(', ')} ${part.slice(0, -1)} for ${what} ${asString(container.name)}`);
  }
  const parts = Object.entries(filled).filter(([, amounts]) => Object.keys(amounts).length > 0);
  return { container: { ...container, resources: { ...resources, ...Object.fromEntries(parts) } }, notes };
};

const fillPod = (pod: JsonObject, limit: JsonObject): JsonObject => {
  const spec = asObject(pod.spec);
  const notes: string[] = [];
  const filled: Record<string, readonly JsonObject[]> = {};
  for (const [kind, what] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    if (spec[kind] === undefined) continue;
    filled[kind] = asObjects(spec[kind]).map((container) => {
      const result = fillContainer(container, limit, what);
      notes.push(...result.notes);
      return result.container;
    });
  }
  if (notes.length === 0) return pod;
  const metadata = asObject(pod.metadata);
  const annotations = {
    ...asObject(metadata.annotations),
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
  return { ...pod, metadata: { ...metadata, annotations }, spec: { ...spec, ...filled } };
};

/** A new pod with the default requests and limits of its namespace. */
export const withDefaultLimits = (pod: JsonObject, objects: ObjectReader, namespace: string): JsonObject =>
  limitsIn(objects, namespace)
    .filter(({ type }) => type === 'Container')
    .reduce(fillPod, pod);

interface Amounts {
  readonly requests: JsonObject;
  readonly limits: JsonObject;
}

const isOver = (value: Json, bound: Json): boolean => compareQuantities(quantityOf(value), quantityOf(bound)) > 0;

const minimum = (type: string, name: string, bound: Json, { requests, limits }: Amounts): string | undefined => {
  const words = `minimum ${name} usage per ${type} is ${printQuantity(bound)}`;
  const [request, limit] = [requests[name], limits[name]];
  if (request === undefined) return `${words}.  No request is specified`;
  if (isOver(bound, request)) return `${words}, but request is ${printQuantity(request)}`;
  return limit !== undefined && isOver(bound, limit) ? `${words}, but limit is ${printQuantity(limit)}` : undefined;
};

const maximum = (type: string, name: string, bound: Json, { requests, limits }: Amounts): string | undefined => {
  const words = `maximum ${name} usage per ${type} is ${printQuantity(bound)}`;
  const [request, limit] = [requests[name], limits[name]];
  if (limit === undefined) return `${words}.  No limit is specified`;
  if (isOver(limit, bound)) return `${words}, but limit is ${printQuantity(limit)}`;
  return request !== undefined && isOver(request, bound)
    ? `${words}, but request is ${printQuantity(request)}`
    : undefined;
};

const ratio = (type: string, name: string, bound: Json, { requests, limits }: Amounts): string | undefined => {
  const words = `${name} max limit to request ratio per ${type} is ${printQuantity(bound)}`;
  const [request, limit] = [requests[name], limits[name]].map((value) => quantityMilli(quantityOf(value)));
  if (!request) return `${words}, but no request is specified or request is 0`;
  if (!limit) return `${words}, but no limit is specified or limit is 0`;
  return (limit / request) * 1000 > quantityMilli(quantityOf(bound))
    ? `${words}, but provided ratio is ${(limit / request).toFixed(6)}`
    : undefined;
};

const CHECKS = [
  ['min', minimum],
  ['max', maximum],
  ['maxLimitRequestRatio', ratio],
] as const;

const complaintsOf = (limit: JsonObject, amounts: Amounts): readonly string[] =>
  CHECKS.flatMap(([part, check]) =>
    Object.entries(asObject(limit[part])).flatMap(
      ([name, bound]) => check(asString(limit.type), name, bound ?? '0', amounts) ?? [],
    ),
  );

const podComplaints = (limit: JsonObject, pod: JsonObject): readonly string[] => {
  const spec = asObject(pod.spec);
  if (limit.type === 'Pod') {
    return complaintsOf(limit, { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') });
  }
  if (limit.type !== 'Container') return [];
  return [...asObjects(spec.containers), ...asObjects(spec.initContainers)].flatMap(({ resources }) => {
    const { requests, limits } = asObject(resources);
    return complaintsOf(limit, { requests: asObject(requests), limits: asObject(limits) });
  });
};

const claimComplaints = (limit: JsonObject, claim: JsonObject): readonly string[] => {
  if (limit.type !== 'PersistentVolumeClaim') return [];
  const requests = asObject(asObject(asObject(claim.spec).resources).requests);
  const type = asString(limit.type);
  const low = Object.entries(asObject(limit.min)).flatMap(
    ([name, bound]) => minimum(type, name, bound ?? '0', { requests, limits: {} }) ?? [],
  );
  // A claim has no limits: its requests are what the maximum is about.
  const high = Object.entries(asObject(limit.max)).flatMap(([name, bound]) => {
    const words = `maximum ${name} usage per ${type} is ${printQuantity(bound)}`;
    const request = requests[name];
    if (request === undefined) return [`${words}.  No request is specified`];
    return isOver(request, bound ?? '0') ? [`${words}, but request is ${printQuantity(request)}`] : [];
  });
  return [...low, ...high];
};

/** Refuses pods and claims outside of their namespace's bounds. */
export const checkLimits = (kind: 'claim' | 'pod', object: JsonObject, objects: ObjectReader, refuse: Refuse): void => {
  const namespace = asString(asObject(object.metadata).namespace);
  for (const range of objects.list('limitranges', namespace)) {
    const complaints = asObjects(asObject(range.spec).limits).flatMap((limit) =>
      kind === 'pod' ? podComplaints(limit, object) : claimComplaints(limit, object),
    );
    const distinct = [...new Set(complaints)];
    if (distinct.length === 0) continue;
    throw refuse(distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`);
  }
};
