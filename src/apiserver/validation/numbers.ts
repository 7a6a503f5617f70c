import type { FieldError, Json } from '../kind.ts';
import * as field from './field-error.ts';
import { patternWords, portName, portNumber } from './names.ts';

export const NOT_NEGATIVE = 'must be greater than or equal to 0';

/** A number that may be missing, but not negative. */
export const nonNegative = (path: string, value: Json | undefined): readonly FieldError[] =>
  typeof value === 'number' && value < 0 ? [field.invalid(path, value, NOT_NEGATIVE)] : [];

/** Whether a count is zero, in absolute numbers or in percent. */
export const isZero = (value: Json | undefined): boolean =>
  value === undefined || value === 0 || (typeof value === 'string' && Number.parseInt(value, 10) === 0);

/** A count in absolute numbers or in percent, such as `maxUnavailable`. */
export const countOrPercent = (path: string, value: Json | undefined): readonly FieldError[] => {
  if (typeof value !== 'string') return nonNegative(path, value);
  if (/^[0-9]+%$/.test(value)) return [];
  const words = "a valid percent string must be a numeric string followed by an ending '%'";
  return [field.invalid(path, value, patternWords(words, '[0-9]+%', '1%', '93%'))];
};

export const atMostAll = (path: string, value: Json | undefined): readonly FieldError[] =>
  typeof value === 'string' && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100
    ? [field.invalid(path, value, 'must not be greater than 100%')]
    : [];

/** A port by number or by name. */
export const portOrName = (path: string, value: Json | undefined): readonly FieldError[] => {
  const complaints = typeof value === 'string' ? portName(value) : portNumber(typeof value === 'number' ? value : 0);
  return complaints.map((words) => field.invalid(path, value ?? 0, words));
};

/** A value out of a fixed set; `missing` is what is said of an empty one. */
export const oneOf = (path: string, value: Json | undefined, values: readonly string[]): readonly FieldError[] => {
  if (value === undefined || value === '') return [field.required(path)];
  return values.includes(String(value)) ? [] : [field.notSupported(path, value, values)];
};

/** As `oneOf`, for a field that may be missing. */
export const oneOfIfSet = (path: string, value: Json | undefined, values: readonly string[]): readonly FieldError[] =>
  value === undefined ? [] : oneOf(path, value, values);
