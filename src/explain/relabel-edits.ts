/** Edits of labels and requirements: the pod asks for something else, or the pool offers more. */

import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeSelectorRequirementWithMinValues } from '../apis/node-pool.ts';
import { ownValue } from '../kube/label-requirement.ts';
import type { NodeSelectorRequirement, Pod } from '../kube/objects.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit, poolEdit } from './edit-context.ts';

/** The values of a key that the pool itself, or else its instance types, can give. */
function valuesOffered(key: string, { pool, instanceTypes }: EditContext): readonly string[] {
  if (key === LABEL_NODEPOOL) return [pool.metadata.name];
  const label = ownValue(pool.spec.template.metadata?.labels, key);
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

/** For a reason about one label key. */
export function relabel(reason: Reason, context: EditContext): Edit[] {
  const key = reason.subject;
  return key === undefined ? [] : relabelKey(key, context);
}

/** Another value for what the pod selects. */
export function reselect(key: string, value: string, context: EditContext): Edit {
  const from = context.pod.spec.nodeSelector?.[key] ?? '';
  return podEdit(context, `spec.nodeSelector["${key}"]`, from, value, (pod) => select(pod, key, value));
}

/** For a volume that is where the pool is not, or where the pod does not want to be. */
export function followVolume({ subject, pod: printed = '' }: Reason, context: EditContext): Edit[] {
  if (subject === undefined) return [];
  const there = /\[([^\]]*)\]/.exec(printed)?.[1]?.split(' ') ?? [];
  const [first] = there;
  const selected = context.pod.spec.nodeSelector?.[subject];
  const own = first !== undefined && selected !== undefined && !there.includes(selected);
  return [...(own ? [reselect(subject, first, context)] : []), ...widenPool(subject, there, context)];
}

/** For when the instance types as a whole don't fit: every key that the pod insists on. */
export function relabelAny(context: EditContext): Edit[] {
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
export function widenPool(key: string, values: readonly string[], context: EditContext): Edit[] {
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
