import { labelKeyProblems, labelValueProblems } from '../kube/label-names.ts';
import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE } from './labels.ts';
import { normalizedLabel } from './normalized-labels.ts';
import { type LabelRules, restrictedLabelProblem } from './restricted-labels.ts';

interface RequirementItem {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'];
const NUMERIC: readonly string[] = ['Gt', 'Lt', 'Gte', 'Lte'];
/** Keys of which all sensible values are known; sorted. */
const KNOWN_VALUES: LabelRules['wellKnownValues'] = {
  [LABEL_CAPACITY_TYPE]: [CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT],
};

function unknownValuesProblem(
  { key, operator, values = [], minValues }: RequirementItem,
  { wellKnownValues }: LabelRules,
): string | undefined {
  const known = new Map(Object.entries({ ...KNOWN_VALUES, ...wellKnownValues })).get(key);
  if (!known || operator !== 'In') return undefined;
  const valid = values.filter((value) => known.includes(value));
  const list = `[${values.join(' ')}]`;
  if (valid.length === 0) {
    // A Go set prints as a map.
    const expected = `map[${known.map((value) => `${value}:{}`).join(' ')}]`;
    return `no valid values found in ${list} for ${key}, expected one of: ${expected}, got: ${list}`;
  }
  if (minValues !== undefined && valid.length < minValues) {
    return `not enough valid values found in ${list} for ${key}, expected at least ${minValues} valid values from: [${known.join(' ')}], got: ${valid.length}`;
  }
  return undefined;
}

/**
 * What is wrong with one requirement of a NodePool, a NodeOverlay or a pod, in upstream's words (ValidateRequirement); empty
 * when nothing is (karpenter-core.md 1.4.3, 3.4.2).
 */
export function requirementProblems(item: RequirementItem, rules: LabelRules): string[] {
  const key = normalizedLabel(item.key);
  const { operator, values = [], minValues } = item;
  const problems: string[] = [];
  if (!OPERATORS.includes(operator)) {
    problems.push(`key ${key} has an unsupported operator ${operator} not in [${OPERATORS.join(' ')}]`);
  }
  const restricted = restrictedLabelProblem(key, rules);
  if (restricted) problems.push(restricted);
  const unknownValues = unknownValuesProblem({ ...item, key }, rules);
  if (unknownValues) problems.push(unknownValues);
  problems.push(...labelKeyProblems(key).map((problem) => `key ${key} is not a qualified name, ${problem}`));
  for (const value of values) {
    problems.push(...labelValueProblems(value).map((p) => `invalid value ${value} for key ${key}, ${p}`));
  }
  if (operator === 'In' && values.length === 0) {
    problems.push(`key ${key} with operator ${operator} must have a value defined`);
  }
  if (operator === 'In' && minValues !== undefined && values.length < minValues) {
    problems.push(
      `key ${key} with operator ${operator} must have at least minimum number of values defined in 'values' field`,
    );
  }
  if (NUMERIC.includes(operator) && (values.length !== 1 || !/^\+?\d+$/.test(values[0] ?? ''))) {
    problems.push(`key ${key} with operator ${operator} must have a single positive integer value`);
  }
  return problems;
}
