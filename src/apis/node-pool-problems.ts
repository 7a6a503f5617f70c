import { labelKeyProblems, labelValueProblems } from '../kube/label-names.ts';
import type { Taint } from '../kube/objects.ts';
import { LABEL_NODEPOOL } from './labels.ts';
import type { NodePool } from './node-pool.ts';
import { requirementProblems } from './requirement-problems.ts';
import { type LabelRules, restrictedLabelProblem } from './restricted-labels.ts';

const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute', ''];

function labelProblems(labels: Readonly<Record<string, string>>, rules: LabelRules): string[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const problems: string[] = [];
    if (key === LABEL_NODEPOOL) problems.push(`invalid key name "${key}" in labels, restricted`);
    problems.push(...labelKeyProblems(key).map((p) => `invalid key name "${key}" in labels, "${p}"`));
    problems.push(...labelValueProblems(value).map((p) => `invalid value: ${value} for label[${key}], ${p}`));
    const restricted = restrictedLabelProblem(key, rules);
    if (restricted) problems.push(`invalid key name "${key}" in labels, ${restricted}`);
    return problems;
  });
}

function taintProblems(taints: readonly Taint[], field: string, seen: Set<string>): string[] {
  return taints.flatMap(({ key, value, effect }) => {
    const problems = labelKeyProblems(key).map((p) => `invalid value: ${p} in ${field}`);
    if (value) problems.push(...labelKeyProblems(value).map((p) => `invalid value: ${p} in ${field}`));
    if (!EFFECTS.includes(effect ?? '')) problems.push(`invalid value: "${effect}" in ${field}`);
    const pair = `${key}=${effect ?? ''}`;
    if (seen.has(pair)) problems.push(`duplicate taint Key/Effect pair ${pair}`);
    seen.add(pair);
    return problems;
  });
}

/** What is wrong with a pool that its schema can't find, in upstream's words; empty when nothing is (1.4). */
export function nodePoolProblems(nodePool: NodePool, rules: LabelRules): string[] {
  const { metadata, spec } = nodePool.spec.template;
  const seen = new Set<string>();
  return [
    ...labelProblems(metadata?.labels ?? {}, rules),
    ...taintProblems(spec.taints ?? [], 'taints', seen),
    ...taintProblems(spec.startupTaints ?? [], 'startupTaints', seen),
    ...spec.requirements.flatMap((requirement) => [
      ...requirementProblems(requirement, rules).map((p) => `invalid value: ${p} in requirements, restricted`),
      ...(requirement.key === LABEL_NODEPOOL ? [`invalid key: "${LABEL_NODEPOOL}" in requirements, restricted`] : []),
    ]),
  ];
}
