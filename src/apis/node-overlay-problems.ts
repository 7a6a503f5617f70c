import type { NodeOverlay } from './node-overlay.ts';
import { requirementProblems } from './requirement-problems.ts';
import type { LabelRules } from './restricted-labels.ts';

/** Resources that are the instance type's own. */
const OWN_RESOURCES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pods'];

/** What is wrong with an overlay beyond its schema, in upstream's words; empty when nothing is (karpenter-core.md 1.7). */
export function nodeOverlayProblems({ spec }: NodeOverlay, rules: LabelRules): readonly string[] {
  const problems: string[] = [];
  for (const item of spec.requirements) {
    const found = requirementProblems(item, rules);
    if (found.length > 0) problems.push(`invalid value: ${found.join('; ')} in requirements, restricted`);
    if (item.operator === 'NotIn' && (item.values ?? []).length === 0) {
      problems.push(`key ${item.key} with operator ${item.operator} must have a value defined`);
    }
  }
  for (const name of Object.keys(spec.capacity ?? {})) {
    const isOwn = OWN_RESOURCES.includes(name) || rules.wellKnownResources?.has(name);
    if (isOwn) problems.push(`invalid capacity: ${name} in resource, restricted`);
  }
  return problems;
}
