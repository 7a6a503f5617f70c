import { CelValueError } from './cel-value-error.ts';

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
]);

const words = (code: string, summary: string): string => {
  const target = CONVERSIONS[code];
  if (target !== undefined) return `type conversion error from 'string' to '${target}'`;
  if (code === 'no_such_key') return summary.replace('No such key', 'no such key');
  if (code === 'index_out_of_bounds' || code === 'index_out_of_range') {
    return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ''}`;
  }
  if (NO_OVERLOAD.has(code)) return 'no such overload';
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
