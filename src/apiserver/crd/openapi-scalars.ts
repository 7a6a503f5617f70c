import type { JsonSchema } from '../../apis/crds/json-schema.ts';
import { jsonEqual } from '../../kube/json-equal.ts';
import type { Json } from '../kind.ts';
import * as field from '../validation/field-error.ts';
import { goRegexp, RegexpSyntaxError } from '../validation/go-regexp.ts';
import { goJson, goNumber, goQuote } from '../validation/go-text.ts';
import { matchesFormat } from './formats.ts';
import { finding, looseFinding, type OpenApiResult } from './openapi-result.ts';
import type { Structural } from './structural.ts';

/** Checks of single values, in the order and the words of kube-openapi's validators. */

const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63;

const jsonTypeOf = (value: Json | undefined): string => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value;
};

const goFormatOf = (value: Json): string => (typeof value === 'number' ? (isInteger(value) ? 'int64' : 'float64') : '');

const wrongType = (result: OpenApiResult, path: string, expected: string, actual: string): void => {
  const text = `${path} in body must be of type ${expected}: ${goQuote(actual)}`;
  result.add(finding(path, text, (at) => field.typeInvalid(at, actual, text)));
};

/** @returns false where the type does not fit; other checks go on all the same. */
export const checkType = (result: OpenApiResult, path: string, schema: Structural, value: Json): void => {
  const { types, format } = schema;
  if (types.length === 0 && format === '') return;
  if (value === null) {
    if (types.length > 0 && !schema.nullable) wrongType(result, path, types.join(','), 'null');
    return;
  }
  const type = jsonTypeOf(value);
  const numbers = types.includes('number') || types.includes('integer');
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
  const textual = type === 'string' || type === 'array';
  if (!textual && format !== '' && !fits && goFormatOf(value) !== format) {
    wrongType(result, path, format, goFormatOf(value));
    return;
  }
  if (!numbers && format !== '' && textual) return;
  if (!fits) wrongType(result, path, types.join(','), type);
};

const plain = (result: OpenApiResult, path: string, value: Json, text: string): void =>
  result.add(finding(path, text, (at) => field.invalid(at, value, text)));

const matchers = new WeakMap<JsonSchema, RegExp | string>();

/** The compiled pattern of a schema, or the complaint about it. Compiled at the first use. */
const patternOf = (source: JsonSchema, pattern: string): RegExp | string => {
  const known = matchers.get(source);
  if (known !== undefined) return known;
  let compiled: RegExp | string;
  try {
    compiled = goRegexp(pattern);
  } catch (error) {
    if (!(error instanceof RegexpSyntaxError)) throw error;
    compiled = `${pattern}, but pattern is invalid: ${error.message}`;
  }
  matchers.set(source, compiled);
  return compiled;
};

/** Length in code points; a string that is short in code units needn't be counted. */
const runes = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

export const checkString = (result: OpenApiResult, path: string, schema: Structural, value: string): void => {
  const { maxLength, minLength, pattern } = schema.source;
  if (maxLength !== undefined && value.length > maxLength && runes(value) > maxLength) {
    const text = `${path} in body should be at most ${maxLength} chars long`;
    result.add(finding(path, text, (at) => field.tooLong(at, maxLength)));
    return;
  }
  if (minLength !== undefined && runes(value) < minLength) {
    plain(result, path, value, `${path} in body should be at least ${minLength} chars long`);
    return;
  }
  if (pattern === undefined || pattern === '') return;
  const matcher = patternOf(schema.source, pattern);
  if (typeof matcher === 'string') plain(result, path, value, `${path} in body should match '${matcher}'`);
  else if (!matcher.test(value)) plain(result, path, value, `${path} in body should match '${pattern}'`);
};

export const checkFormat = (result: OpenApiResult, path: string, schema: Structural, value: string): void => {
  const { format } = schema;
  if (format === '' || matchesFormat(format, value)) return;
  const text = `${path} in body must be of type ${format}: ${goQuote(value)}`;
  result.add(finding(path, text, (at) => field.typeInvalid(at, value, text)));
};

const outOfRange = (schema: Structural, value: number): string | undefined => {
  const only = schema.types.length === 1 ? schema.types[0] : undefined;
  const format = schema.format;
  if (only === 'integer') {
    const limit = format === 'int32' ? 2 ** 31 : 2 ** 63;
    if (Number.isInteger(value) && value >= -limit && value < limit) return undefined;
    return format === '' ? 'integer (default format)' : `integer with format ${format}`;
  }
  if (only === 'number' && format === 'float' && !Number.isFinite(Math.fround(value)))
    return 'number with format float';
  return undefined;
};

const checkBoundary = (
  result: OpenApiResult,
  path: string,
  schema: Structural,
  value: number,
  boundary: number,
  name: string,
): number => {
  const range = outOfRange(schema, boundary);
  if (range !== undefined) {
    result.add(looseFinding(`${name} value must be of type ${range} in ${path}`));
    return boundary;
  }
  return isInteger(value) ? Math.trunc(boundary) : boundary;
};

const isMultiple = (value: number, factor: number): boolean => {
  if (isInteger(value) && isInteger(factor)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (Number.isInteger(quotient)) return true;
  const difference = Math.abs(quotient - Math.trunc(quotient));
  return difference < 1e-9 * Math.abs(quotient);
};

const checkMultiple = (result: OpenApiResult, path: string, schema: Structural, value: number, raw: number): void => {
  const factor = checkBoundary(result, path, schema, value, raw, 'MultipleOf');
  if (factor <= 0) {
    const text = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
    plain(result, path, factor, text);
  } else if (!isMultiple(value, factor)) {
    plain(result, path, value, `${path} in body should be a multiple of ${goNumber(factor)}`);
  }
};

export const checkNumber = (result: OpenApiResult, path: string, schema: Structural, value: number): void => {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema.source;
  const range = outOfRange(schema, value);
  if (range !== undefined) result.add(looseFinding(`Checked value must be of type ${range} in ${path}`));
  if (multipleOf !== undefined) checkMultiple(result, path, schema, value, multipleOf);
  if (minimum !== undefined) {
    const least = checkBoundary(result, path, schema, value, minimum, 'Minimum boundary');
    if (value < least || (exclusiveMinimum === true && value === least)) {
      const words = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
      plain(result, path, value, `${path} in body should be ${words} ${goNumber(least)}`);
    }
  }
  if (maximum !== undefined) {
    const most = checkBoundary(result, path, schema, value, maximum, 'Maximum boundary');
    if (value > most || (exclusiveMaximum === true && value === most)) {
      const words = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
      plain(result, path, value, `${path} in body should be ${words} ${goNumber(most)}`);
    }
  }
};

export const checkEnum = (result: OpenApiResult, path: string, schema: Structural, value: Json): void => {
  const allowed = schema.source.enum;
  if (allowed === undefined || allowed.length === 0) return;
  for (const item of allowed) if (jsonEqual(item, value)) return;
  const names = allowed.map((item) => (typeof item === 'string' ? item : goJson(item)));
  const text = `${path} in body should be one of [${names.join(' ')}]`;
  result.add(finding(path, text, (at) => field.notSupported(at, value, names)));
};
