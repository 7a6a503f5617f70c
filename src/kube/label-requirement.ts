import { labelKeyProblems, labelValueProblems } from './label-names.ts';

/** Operators of a selector's text and of its object form; `Gt` and `Lt` compare integers. */
export type LabelOperator = '=' | '==' | '!=' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** A selector that can't be used; the message is Kubernetes' own. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

const INTEGER = /^[+-]?\d+$/;
const MAX_INT64 = 2n ** 63n - 1n;

/** As Go's ParseInt with 64 bits; undefined where that fails. */
export function parseInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value > MAX_INT64 || value < -MAX_INT64 - 1n ? undefined : value;
}

/** A label by the name it is given, which may be one that every JavaScript object has. */
export const ownValue = (labels: Labels | undefined, key: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;

/** Whether labels satisfy one requirement; NotIn and != are satisfied by an absent label. */
export const requirementMatches = (requirement: LabelRequirement, labels: Labels | undefined): boolean =>
  valueSatisfies(ownValue(labels, requirement.key), requirement.operator, requirement.values);

/** Whether the value of a label or field, undefined when there is none, satisfies an operator; an unknown one never. */
export function valueSatisfies(value: string | undefined, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'NotIn':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const actual = value === undefined ? undefined : parseInt64(value);
      const bound = values.length === 1 ? parseInt64(values[0] ?? '') : undefined;
      if (actual === undefined || bound === undefined) return false;
      return operator === 'Gt' ? actual > bound : actual < bound;
    }
    default:
      return false;
  }
}

const quoted = (value: string): string => JSON.stringify(value);
/** Go's %#v of a string slice. */
const goSlice = (values: readonly string[]): string => `[]string{${values.map(quoted).join(', ')}}`;

function arityProblem({ operator, values }: LabelRequirement): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'Gt':
    case 'Lt':
      return values.length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

/**
 * Checks key, number of values and values as labels.NewRequirement of apimachinery does.
 *
 * @throws {SelectorError}
 */
export function checkRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const problems: string[] = [];
  const keyProblems = labelKeyProblems(key);
  if (keyProblems.length > 0) problems.push(`key: Invalid value: ${quoted(key)}: ${keyProblems.join('; ')}`);
  const arity = arityProblem(requirement);
  if (arity !== undefined) problems.push(`values: Invalid value: ${goSlice(values)}: ${arity}`);
  if (operator === 'Gt' || operator === 'Lt') {
    for (const [index, value] of values.entries()) {
      if (parseInt64(value) !== undefined) continue;
      problems.push(
        `values[${index}]: Invalid value: ${quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  }
  for (const [index, value] of values.entries()) {
    const valueProblems = labelValueProblems(value);
    if (valueProblems.length === 0) continue;
    problems.push(`values[${index}][${key}]: Invalid value: ${quoted(value)}: ${valueProblems.join('; ')}`);
  }
  if (problems.length > 1) throw new SelectorError(`[${problems.join(', ')}]`);
  if (problems[0] !== undefined) throw new SelectorError(problems[0]);
  return requirement;
}

/** The requirement in the query syntax of the API. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = (): string => values.toSorted().join(',');
  switch (operator) {
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${list()}`;
    case 'In':
      return `${key} in (${list()})`;
    case 'NotIn':
      return `${key} notin (${list()})`;
    case 'Gt':
      return `${key}>${list()}`;
    case 'Lt':
      return `${key}<${list()}`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
