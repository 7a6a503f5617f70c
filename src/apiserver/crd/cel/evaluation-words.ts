import { CelValueError } from './cel-value-error.ts';
import { goTypeNames } from './go-type-name.ts';

/** What cel-go says about evaluations that fail, by cel-js' error codes. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  invalid_duration: 'google.protobuf.Duration',
  invalid_timestamp: 'google.protobuf.Timestamp',
  int_conversion_error: 'int',
  uint_conversion_error: 'uint',
  double_conversion_error: 'double',
  bool_conversion_error: 'bool',
};

const NO_OVERLOAD: ReadonlySet<string> = new Set([
  'no_such_overload',
  'no_matching_overload',
  'invalid_logical_operand',
  'invalid_condition_type',
]);

/** Functions of CEL itself, which don't name themselves when what they are called on isn't theirs. */
const NAMELESS: ReadonlySet<string> = new Set(['startsWith', 'endsWith', 'contains', 'matches']);

const noOverload = (summary: string): string => {
  const call = /^found no matching overload for '(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary);
  if (call === null)
    return /^no such overload: (dyn<)?(bool|map.*|null)>? \+ /.test(summary)
      ? 'no such overload: _+_'
      : 'no such overload';
  const [, receiver, name = '', parameters = ''] = call;
  if (NAMELESS.has(name)) return 'no such overload';
  if (name === 'size') return 'no such overload: size';
  const types = [receiver ?? '', goTypeNames(parameters)].filter((type) => type !== '');
  return `no such overload: ${name}(${types.join(', ').replaceAll(/<[^<>]*>|\([^()]*\)/g, '')})`;
};

const notIterable = (summary: string): string => {
  const type = /^Expression of type '(\w+)/.exec(summary)?.[1] ?? '';
  return `got 'types.${type.charAt(0).toUpperCase()}${type.slice(1)}', expected iterable type`;
};

const words = (code: string, summary: string): string => {
  const target = CONVERSIONS[code];
  if (target !== undefined) return `type conversion error from 'string' to '${target}'`;
  if (code === 'no_such_key') return summary.replace('No such key', 'no such key');
  if (code === 'index_out_of_range') return 'index out of range';
  if (code === 'index_out_of_bounds') {
    return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ''}`;
  }
  if (NO_OVERLOAD.has(code)) return noOverload(summary);
  if (code === 'invalid_comprehension_range') return notIterable(summary);
  if (code === 'optional_value_missing') return 'optional.none() dereference';
  if (code === 'modulo_by_zero') return 'modulus by zero';
  if (code === 'numeric_overflow') return 'integer overflow';
  return summary;
};

/** The message of a failed evaluation, without cel-js' source excerpt. */
export const evaluationWords = (error: unknown): string => {
  if (error instanceof CelValueError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, summary } = error as Error & { readonly code?: unknown; readonly summary?: unknown };
  return typeof code === 'string' && typeof summary === 'string' ? words(code, summary) : error.message;
};
