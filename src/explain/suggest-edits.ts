/** Edits that answer one failed rule; whether they help is for the packer to say. */

import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodePool, NodeSelectorRequirementWithMinValues } from '../apis/node-pool.ts';
import type { Container, NodeSelectorRequirement, Pod, Taint, Toleration } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { formatMilli, parseQuantityMilli } from '../kube/quantity.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { podName } from './plan-report.ts';

export interface EditContext {
  readonly pod: Pod;
  readonly pool: NodePool;
  readonly instanceTypes: readonly InstanceType[];
  /** Of several values, the one that someone who wrote `value` may have meant; undefined when none is close. */
  readonly closest: (value: string, candidates: readonly string[]) => string | undefined;
}

/** Alternatives, the smallest first; empty when no edit of pod or pool comes to mind. */
export function suggestEdits(reason: Reason, context: EditContext): readonly Edit[] {
  switch (reason.code) {
    case 'TaintNotTolerated':
      return tolerate(reason, context);
    case 'RequirementsIncompatible':
    case 'UnknownLabelValue':
      return relabel(reason, context);
    case 'InsufficientResources':
    case 'NoInstanceType':
    case 'NoOffering':
      return [...relabelAny(context), ...raiseLimits(context), ...shrink(context)];
    case 'NodePoolLimit':
      return raiseLimits(context, reason.subject);
    case 'TopologySpread':
      return softenSpread(context);
    default:
      return [];
  }
}

function podEdit(context: EditContext, path: string, from: string, to: string, pod: (pod: Pod) => Pod): Edit {
  return { object: 'pod', name: podName(context.pod), path, from, to, pod };
}

function poolEdit(
  { pool }: EditContext,
  path: string,
  from: string,
  to: string,
  nodePool: (pool: NodePool) => NodePool,
): Edit {
  return { object: 'nodepool', name: pool.metadata.name, path, from, to, nodePool };
}

function tolerate(reason: Reason, context: EditContext): Edit[] {
  const taints = context.pool.spec.template.spec.taints ?? [];
  const named = taints.filter(({ key }) => reason.subject?.startsWith(key));
  const wanted = (named.length > 0 ? named : taints).filter((taint) => !isTolerated(taint, context.pod));
  if (wanted.length === 0) return [];
  const added: Toleration[] = wanted.map(({ key, value, effect }) =>
    value ? { key, operator: 'Equal', value, effect } : { key, operator: 'Exists', effect },
  );
  return [
    podEdit(context, 'spec.tolerations', '', added.map(printToleration).join(', '), (pod) => ({
      ...pod,
      spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), ...added] },
    })),
  ];
}

function isTolerated(taint: Taint, pod: Pod): boolean {
  return (pod.spec.tolerations ?? []).some(
    (t) =>
      (t.effect === undefined || t.effect === '' || t.effect === taint.effect) &&
      ((t.key === undefined && t.operator === 'Exists') || t.key === taint.key) &&
      (t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')),
  );
}

function printToleration({ key, operator, value, effect }: Toleration): string {
  const parts = Object.entries({ key, operator, value, effect }).filter(([, v]) => v !== undefined);
  return `{${parts.map(([name, v]) => `${name}: ${v}`).join(', ')}}`;
}

/** The values of a key that the pool itself, or else its instance types, can give. */
function valuesOffered(key: string, { pool, instanceTypes }: EditContext): readonly string[] {
  if (key === LABEL_NODEPOOL) return [pool.metadata.name];
  const label = pool.spec.template.metadata?.labels?.[key];
  if (label !== undefined) return [label];
  const own = pool.spec.template.spec.requirements.find((r) => r.key === key && r.operator === 'In');
  if (own) return own.values ?? [];
  const offered = new Set<string>();
  for (const type of instanceTypes) {
    for (const value of type.requirements.find(key)?.values ?? []) offered.add(value);
    for (const offering of type.offerings)
      for (const v of offering.requirements.find(key)?.values ?? []) offered.add(v);
  }
  return [...offered].sort();
}

function relabel(reason: Reason, context: EditContext): Edit[] {
  const key = reason.subject;
  return key === undefined ? [] : relabelKey(key, context);
}

/** For when the instance types as a whole don't fit: every key that the pod insists on. */
function relabelAny(context: EditContext): Edit[] {
  return Object.keys(context.pod.spec.nodeSelector ?? {}).flatMap((key) => {
    const value = context.pod.spec.nodeSelector?.[key] ?? '';
    return valuesOffered(key, context).includes(value) ? [] : relabelKey(key, context);
  });
}

function relabelKey(key: string, context: EditContext): Edit[] {
  const { pod } = context;
  const offered = valuesOffered(key, context);
  const selected = pod.spec.nodeSelector?.[key];
  const edits: Edit[] = selected !== undefined && offered.length === 0 ? renameKey(key, selected, context) : [];
  if (selected !== undefined) {
    const path = `spec.nodeSelector["${key}"]`;
    const meant = context.closest(selected, offered);
    if (meant !== undefined) edits.push(podEdit(context, path, selected, meant, (p) => select(p, key, meant)));
    edits.push(...widenPool(key, [selected], context));
    if (meant === undefined && offered.length === 1 && offered[0] !== undefined) {
      const only = offered[0];
      edits.push(podEdit(context, path, selected, only, (p) => select(p, key, only)));
    }
    edits.push(podEdit(context, path, selected, '', (p) => select(p, key, undefined)));
  }
  const wanted = affinityExpressions(pod).filter((expression) => expression.key === key);
  if (wanted.length > 0) {
    const values = wanted.filter(({ operator }) => operator === 'In').flatMap((e) => e.values ?? []);
    if (values.length > 0) edits.push(...widenPool(key, values, context));
    const printed = wanted.map((e) => `${e.key} ${e.operator} [${(e.values ?? []).join(' ')}]`).join(', ');
    const path = 'spec.affinity.nodeAffinity.required';
    edits.push(podEdit(context, path, printed, '', (p) => withoutAffinityKey(p, key)));
  }
  return edits;
}

/** For a key that nothing here defines: the key that was meant. */
function renameKey(key: string, value: string, context: EditContext): Edit[] {
  const { pool, instanceTypes } = context;
  const known = new Set([
    ...Object.keys(pool.spec.template.metadata?.labels ?? {}),
    ...pool.spec.template.spec.requirements.map((requirement) => requirement.key),
    ...(instanceTypes[0]?.requirements.keys() ?? []),
  ]);
  const meant = context.closest(key, [...known]);
  if (meant === undefined) return [];
  return [
    podEdit(context, 'spec.nodeSelector', `${key}: ${value}`, `${meant}: ${value}`, (pod) =>
      select(select(pod, key, undefined), meant, value),
    ),
  ];
}

function select(pod: Pod, key: string, value: string | undefined): Pod {
  const { [key]: _, ...rest } = pod.spec.nodeSelector ?? {};
  return { ...pod, spec: { ...pod.spec, nodeSelector: value === undefined ? rest : { ...rest, [key]: value } } };
}

function affinityExpressions(pod: Pod): readonly NodeSelectorRequirement[] {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (required?.nodeSelectorTerms ?? []).flatMap((term) => term.matchExpressions ?? []);
}

function withoutAffinityKey(pod: Pod, key: string): Pod {
  const { affinity } = pod.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!affinity?.nodeAffinity || !required) return pod;
  const nodeSelectorTerms = required.nodeSelectorTerms
    .map((term) => ({ ...term, matchExpressions: (term.matchExpressions ?? []).filter((e) => e.key !== key) }))
    .filter((term) => term.matchExpressions.length > 0 || (term.matchFields ?? []).length > 0);
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...rest } = affinity.nodeAffinity;
  const nodeAffinity =
    nodeSelectorTerms.length > 0
      ? { ...rest, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
      : rest;
  return { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } };
}

/** Lets the pool's requirement on the key, or its lack of one, take the values too. */
function widenPool(key: string, values: readonly string[], context: EditContext): Edit[] {
  const { requirements } = context.pool.spec.template.spec;
  const index = requirements.findIndex((r) => r.key === key && (r.operator === 'In' || r.operator === 'NotIn'));
  const existing = requirements[index];
  const changed: NodeSelectorRequirementWithMinValues = existing
    ? { ...existing, values: widenedValues(existing, values) }
    : { key, operator: 'In', values: [...values] };
  if (key === LABEL_NODEPOOL || key === 'kubernetes.io/hostname') return [];
  const path = `spec.template.spec.requirements[${existing ? index : requirements.length}]`;
  return [
    poolEdit(context, path, existing ? printRequirement(existing) : '', printRequirement(changed), (pool) => {
      const list = existing ? requirements.with(index, changed) : [...requirements, changed];
      const kept = (changed.values ?? []).length > 0 ? list : list.toSpliced(index, 1);
      const template = { ...pool.spec.template, spec: { ...pool.spec.template.spec, requirements: kept } };
      return { ...pool, spec: { ...pool.spec, template } };
    }),
  ];
}

function widenedValues(existing: NodeSelectorRequirementWithMinValues, values: readonly string[]): readonly string[] {
  const present = existing.values ?? [];
  if (existing.operator === 'In') return [...new Set([...present, ...values])];
  return present.filter((value) => !values.includes(value));
}

function printRequirement({ key, operator, values }: NodeSelectorRequirementWithMinValues): string {
  return `${key} ${operator} [${(values ?? []).join(' ')}]`;
}

/** Thousandths that a suggested request is a multiple of. */
const UNITS: Readonly<Record<string, number>> = {
  cpu: 1000,
  memory: 2 ** 28 * 1000,
  'ephemeral-storage': 2 ** 28 * 1000,
};

/** Lowers the requests to what ever smaller instance types can give, the largest first. */
function shrink(context: EditContext): Edit[] {
  const { pod, instanceTypes } = context;
  const requests = podRequests(pod);
  const seen = new Set<string>();
  const edits: Edit[] = [];
  const bySize = instanceTypes.toSorted((a, b) => leftForPods(b, 'cpu') - leftForPods(a, 'cpu'));
  for (const type of bySize) {
    // A tenth is left for daemons; the packer says whether that is enough.
    const targets = Object.entries(requests).flatMap(([resource, wanted]) => {
      const unit = UNITS[resource] ?? 1000;
      const most = Math.floor((leftForPods(type, resource) * 0.9) / unit) * unit;
      return most > 0 && wanted > most ? [{ resource, wanted, most }] : [];
    });
    const print = (part: 'wanted' | 'most'): string =>
      targets.map((target) => `${target.resource} ${formatMilli(target.resource, target[part])}`).join(', ');
    if (targets.length === 0 || seen.has(print('most'))) continue;
    seen.add(print('most'));
    const change = (p: Pod): Pod =>
      targets.reduce((q, { resource, wanted, most }) => scaleRequests(q, resource, most / wanted), p);
    const path = 'spec.containers[].resources.requests';
    edits.push({ ...podEdit(context, path, print('wanted'), `at most ${print('most')}`, change), family: 'shrink' });
  }
  return edits;
}

function leftForPods(type: InstanceType, resource: string): number {
  const { kubeReserved = {}, systemReserved = {}, evictionThreshold = {} } = type.overhead;
  const taken = (kubeReserved[resource] ?? 0) + (systemReserved[resource] ?? 0) + (evictionThreshold[resource] ?? 0);
  return (type.capacity[resource] ?? 0) - taken;
}

function scaleRequests(pod: Pod, resource: string, factor: number): Pod {
  const scale = (container: Container): Container => {
    const request = container.resources?.requests?.[resource];
    if (request === undefined) return container;
    const amount = formatMilli(resource, Math.floor(parseQuantityMilli(request) * factor));
    const { limits: _, ...resources } = container.resources ?? {};
    return { ...container, resources: { ...resources, requests: { ...resources.requests, [resource]: amount } } };
  };
  return { ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map(scale) } };
}

/** Makes room for the pod and a node around it, in one limit or in all of them. */
function raiseLimits({ pod, pool, ...context }: EditContext, resource?: string): Edit[] {
  const limits = pool.spec.limits ?? {};
  const requests = podRequests(pod);
  return Object.keys(limits)
    .filter((name) => resource === undefined || resource === name)
    .map((name) => {
      const from = String(limits[name]);
      const to = formatMilli(name, parseQuantityMilli(from) + Math.max((requests[name] ?? 1000) * 2, 1000));
      return poolEdit({ pod, pool, ...context }, `spec.limits.${name}`, from, to, (edited) => ({
        ...edited,
        spec: { ...edited.spec, limits: { ...edited.spec.limits, [name]: to } },
      }));
    });
}

function softenSpread(context: EditContext): Edit[] {
  const constraints = context.pod.spec.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint, i) =>
    constraint.whenUnsatisfiable === 'DoNotSchedule'
      ? [
          podEdit(
            context,
            `spec.topologySpreadConstraints[${i}].whenUnsatisfiable`,
            'DoNotSchedule',
            'ScheduleAnyway',
            (pod) => ({
              ...pod,
              spec: {
                ...pod.spec,
                topologySpreadConstraints: constraints.with(i, { ...constraint, whenUnsatisfiable: 'ScheduleAnyway' }),
              },
            }),
          ),
        ]
      : [],
  );
}
