import {
  checkRequirement,
  formatRequirement,
  type LabelRequirement,
  type Labels,
  requirementMatches,
  SelectorError,
} from './label-requirement.ts';
import type { LabelSelector } from './objects.ts';

export { SelectorError } from './label-requirement.ts';
export { parseLabelSelector } from './label-selector-parser.ts';

/** Says whether labels are selected. */
export type LabelMatcher = (labels: Labels | undefined) => boolean;

const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/**
 * Requirements of a selector's object form.
 *
 * @throws {SelectorError} for an unknown operator, and for keys and values the API would refuse.
 */
function selectorRequirements(selector: LabelSelector): readonly LabelRequirement[] {
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(checkRequirement({ key, operator: '=', values: [value] }));
  }
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (!OPERATORS.has(operator)) {
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    }
    requirements.push(checkRequirement({ key, operator, values }));
  }
  return requirements;
}

/** Whether labels satisfy all requirements. */
export const matchesRequirements = (requirements: readonly LabelRequirement[], labels: Labels | undefined): boolean =>
  requirements.every((requirement) => requirementMatches(requirement, labels));

/**
 * A test for a selector, to be kept while the selector is in use. No selector selects nothing, an empty one everything.
 *
 * @throws {SelectorError}
 */
export function labelMatcher(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return () => false;
  const requirements = selectorRequirements(selector);
  return (labels) => matchesRequirements(requirements, labels);
}

/** The same; an invalid selector selects nothing. */
export function lenientMatcher(selector: LabelSelector | undefined): LabelMatcher {
  try {
    return labelMatcher(selector);
  } catch (error) {
    if (error instanceof SelectorError) return () => false;
    throw error;
  }
}

/** Whether a selector selects labels; an invalid selector selects nothing. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  return lenientMatcher(selector)(labels);
}

/** The selector in query syntax, keys in order, as `kubectl` prints it and a list request takes it. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selectorRequirements(selector)
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(formatRequirement)
    .join(',');
}
