import { jsonEqual } from '../../kube/json-equal.ts';
import { isObject } from '../json.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import * as field from '../validation/field-error.ts';
import { goQuote } from '../validation/go-text.ts';
import type { Correlation } from './correlation.ts';
import { finding, looseFinding, OpenApiResult, toFieldErrors } from './openapi-result.ts';
import { checkEnum, checkFormat, checkNumber, checkString, checkType } from './openapi-scalars.ts';
import type { Structural } from './structural.ts';

/**
 * OpenAPI validation of a value against a structural schema (kube-openapi's validation/validate), in kube-apiserver's words.
 *
 * `path` is the value's own path as messages print it, `parent` what stands before it in field names: a status that is
 * validated alone has path '' and parent 'status'. With a `correlation`, what an update leaves unchanged is forgiven.
 */
export const validateOpenApi = (
  parent: string,
  schema: Structural,
  value: Json,
  correlation?: Correlation,
): readonly FieldError[] => toFieldErrors(parent, validate('', schema, value, correlation));

const validate = (path: string, schema: Structural, value: Json, old: Correlation | undefined): OpenApiResult => {
  const result = check(path, schema, value, old);
  if (!result.valid && old?.unchanged === true) result.forgive();
  return result;
};

const check = (path: string, schema: Structural, value: Json, old: Correlation | undefined): OpenApiResult => {
  const result = new OpenApiResult();
  checkType(result, path, schema, value);
  if (value === null) {
    checkEnum(result, path, schema, value);
    return result;
  }
  result.matches += 3;
  if (result.valid) result.matches += 1;
  checkCombinations(result, path, schema, value);
  if (typeof value === 'string') {
    checkString(result, path, schema, value);
    checkFormat(result, path, schema, value);
  } else if (typeof value === 'number') {
    checkNumber(result, path, schema, value);
  } else if (Array.isArray(value)) {
    checkArray(result, path, schema, value as readonly Json[], old);
  }
  checkEnum(result, path, schema, value);
  if (isObject(value)) checkObject(result, path, schema, value, old);
  return result;
};

const checkCombinations = (result: OpenApiResult, path: string, schema: Structural, value: Json): void => {
  if (schema.anyOf.length > 0) checkAnyOf(result, path, schema.anyOf, value);
  if (schema.oneOf.length > 0) checkOneOf(result, path, schema.oneOf, value);
  if (schema.allOf.length > 0) checkAllOf(result, path, schema.allOf, value);
  if (schema.not !== undefined && check(path, schema.not, value, undefined).valid) {
    result.add(looseFinding(`${goQuote(path)} must not validate the schema (not)`));
  }
  result.matches += 1;
};

const better = (best: OpenApiResult | undefined, next: OpenApiResult): OpenApiResult =>
  best === undefined || next.matches > best.matches ? next : best;

const checkAnyOf = (result: OpenApiResult, path: string, schemas: readonly Structural[], value: Json): void => {
  let best: OpenApiResult | undefined;
  for (const schema of schemas) {
    const attempt = check(path, schema, value, undefined);
    if (attempt.valid) {
      result.merge(attempt);
      return;
    }
    best = better(best, attempt);
  }
  result.add(looseFinding(`${goQuote(path)} must validate at least one schema (anyOf)`));
  if (best !== undefined) result.merge(best);
};

const checkOneOf = (result: OpenApiResult, path: string, schemas: readonly Structural[], value: Json): void => {
  const valid: OpenApiResult[] = [];
  let best: OpenApiResult | undefined;
  for (const schema of schemas) {
    const attempt = check(path, schema, value, undefined);
    if (attempt.valid) valid.push(attempt);
    else if (valid.length === 0) best = better(best, attempt);
  }
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    result.merge(first);
    return;
  }
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  result.add(looseFinding(`${goQuote(path)} must validate one and only one schema (oneOf). ${found}`));
  if (valid.length === 0 && best !== undefined) result.merge(best);
};

const checkAllOf = (result: OpenApiResult, path: string, schemas: readonly Structural[], value: Json): void => {
  let valid = 0;
  for (const schema of schemas) {
    const attempt = check(path, schema, value, undefined);
    if (attempt.valid) valid += 1;
    result.merge(attempt);
  }
  if (valid === schemas.length) return;
  const none = valid === 0 ? '. None validated' : '';
  result.add(looseFinding(`${goQuote(path)} must validate all the schemas (allOf)${none}`));
};

const checkArray = (
  result: OpenApiResult,
  path: string,
  schema: Structural,
  list: readonly Json[],
  old: Correlation | undefined,
): void => {
  const { items } = schema;
  if (items !== undefined) {
    list.forEach((item, at) => {
      result.merge(validate(`${path}[${at}]`, items, item, old?.item(at)));
    });
  }
  const { minItems, maxItems, uniqueItems } = schema.source;
  if (minItems !== undefined && list.length < minItems) {
    const text = `${path} in body should have at least ${minItems} items`;
    result.add(finding(path, text, (at) => field.invalid(at, list.length, text)));
  }
  if (maxItems !== undefined && list.length > maxItems) {
    const text = `${path} in body should have at most ${maxItems} items`;
    result.add(finding(path, text, (at) => field.tooMany(at, list.length, maxItems)));
  }
  if (uniqueItems === true && list.some((item, at) => list.slice(0, at).some((before) => jsonEqual(before, item)))) {
    const text = `${path} in body shouldn't contain duplicates`;
    result.add(finding(path, text, (at) => field.invalid(at, '', text)));
  }
};

const checkObject = (
  result: OpenApiResult,
  path: string,
  schema: Structural,
  value: JsonObject,
  old: Correlation | undefined,
): void => {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  checkCount(result, path, schema, names.length);
  for (const name of names) {
    if (schema.properties.has(name)) continue;
    if (schema.closed) {
      const text = `${path}.${name} in body is a forbidden property`;
      result.add(finding(path, text, (at) => field.invalid(at, name, text)));
    } else if (schema.additional !== undefined) {
      result.merge(validate(`${path}.${name}`, schema.additional, value[name] ?? null, old?.field(name)));
    }
  }
  for (const [name, property] of schema.properties) {
    const item = value[name];
    if (item === undefined) continue;
    const typeMeta = path === '' && (name === 'kind' || name === 'apiVersion');
    result.merge(
      validate(path === '' ? name : `${path}.${name}`, property, item, typeMeta ? undefined : old?.field(name)),
    );
  }
  for (const name of schema.source.required ?? []) {
    if (value[name] !== undefined) continue;
    const text = `${path}.${name} in body is required`;
    result.add(finding(`${path}.${name}`, text, (at) => field.required(at)));
  }
};

const checkCount = (result: OpenApiResult, path: string, schema: Structural, count: number): void => {
  const { minProperties, maxProperties } = schema.source;
  if (minProperties !== undefined && count < minProperties) {
    const text = `${path} in body should have at least ${minProperties} properties`;
    result.add(finding(path, text, (at) => field.invalid(at, count, text)));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    result.add(finding(path, text, (at) => field.tooMany(at, count, maxProperties)));
  }
};
