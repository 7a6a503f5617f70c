import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import { jsonEqual } from '../../../kube/json-equal.ts';
import type { FieldError, Json } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { goRegexp, RegexpSyntaxError } from '../../validation/go-regexp.ts';

/** What makes a schema structural (apiextensions' schema/validation.go and complete.go). */

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

const isIntOrString = (schemas: readonly JsonSchema[] | undefined): boolean =>
  jsonEqual((schemas ?? null) as unknown as Json, INT_OR_STRING);

export const validateStructural = (path: string, schema: JsonSchema): readonly FieldError[] => {
  const errors: FieldError[] = [];
  checkInvariants(path, schema, 'root', errors);
  checkComplete(schema, schema, path, path, errors);
  return errors.sort((a, b) => (field.errorLine(a) < field.errorLine(b) ? -1 : 1));
};

const property = (path: string, name: string): string => field.key(field.child(path, 'properties'), name);

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const checkInvariants = (path: string, schema: JsonSchema, level: Level, errors: FieldError[]): void => {
  const { additionalProperties: additional } = schema;
  if (schema.type === 'array' && schema.items === undefined) {
    errors.push(field.required(field.child(path, 'items'), 'must be specified'));
  }
  if (schema.items !== undefined) checkInvariants(field.child(path, 'items'), schema.items, 'item', errors);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    checkInvariants(property(path, name), inner, 'field', errors);
  }
  const additionalPath = field.child(path, 'additionalProperties');
  if (additional !== undefined) {
    if (level === 'root') errors.push(field.forbidden(additionalPath, 'must not be used at the root'));
    if (typeof additional === 'object') checkInvariants(additionalPath, additional, 'field', errors);
  }
  checkExtensions(path, schema, errors);
  checkValues(path, schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), errors);
  checkType(path, schema, level, errors);
  if (schema['x-kubernetes-embedded-resource'] === true && additional !== undefined) {
    errors.push(field.forbidden(additionalPath, 'must not be used if x-kubernetes-embedded-resource is set'));
  }
  checkResourceFields(path, schema, level, errors);
};

const checkExtensions = (path: string, schema: JsonSchema, errors: FieldError[]): void => {
  if (schema['x-kubernetes-int-or-string'] !== true) return;
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[name] !== true) continue;
    errors.push(field.invalid(field.child(path, name), true, 'must be false if x-kubernetes-int-or-string is true'));
  }
};

const checkType = (path: string, schema: JsonSchema, level: Level, errors: FieldError[]): void => {
  const type = schema.type ?? '';
  const at = field.child(path, 'type');
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && type !== 'object') {
    const words = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? field.required(at, words) : field.invalid(at, type, words));
  } else if (type === '' && !free) errors.push(field.required(at, MISSING_TYPE[level]));
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(field.invalid(at, type, 'must be object at the root'));
  }
};

const checkResourceFields = (path: string, schema: JsonSchema, level: Level, errors: FieldError[]): void => {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = schema.properties ?? {};
  if (level === 'root' || embedded) {
    for (const name of ['kind', 'apiVersion']) {
      const inner = properties[name];
      if (inner === undefined || inner.type === 'string') continue;
      errors.push(field.invalid(field.child(property(path, name), 'type'), inner.type ?? '', 'must be string'));
    }
  }
  const { metadata } = properties;
  if (metadata !== undefined)
    checkMetadata(property(path, 'metadata'), metadata, level, level === 'root' || embedded, errors);
  const kept = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && !kept && Object.keys(properties).length === 0) {
    const words =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(field.required(field.child(path, 'properties'), words));
  }
};

const checkMetadata = (
  path: string,
  schema: JsonSchema,
  level: Level,
  checked: boolean,
  errors: FieldError[],
): void => {
  if (checked && schema.type !== 'object') {
    errors.push(field.invalid(field.child(path, 'type'), schema.type ?? '', 'must be object'));
  }
  if (level !== 'root') return;
  const { type: _type, default: _default, properties = {}, ...rest } = schema;
  const names = Object.keys(properties);
  const allowed = names.every((name) => name === 'name' || name === 'generateName');
  if (allowed && Object.keys(rest).length === 0) return;
  errors.push(
    field.forbidden(
      path,
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    ),
  );
};

const checkValues = (
  path: string,
  schema: JsonSchema,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  errors: FieldError[],
): void => {
  const each = (name: 'anyOf' | 'allOf' | 'oneOf', skip: (at: number) => boolean): void => {
    for (const [at, inner] of (schema[name] ?? []).entries()) {
      checkNested(field.index(field.child(path, name), at), inner, skip(at), errors);
    }
  };
  if (!skipAnyOf) each('anyOf', () => false);
  each('allOf', (at) => skipFirstAllOf && at === 0);
  each('oneOf', () => false);
  if (schema.not !== undefined) checkNested(field.child(path, 'not'), schema.not, false, errors);
  const { pattern } = schema;
  if (pattern === undefined || pattern === '') return;
  try {
    goRegexp(pattern);
  } catch (error) {
    if (!(error instanceof RegexpSyntaxError)) throw error;
    const words = `must be a valid regular expression, but isn't: ${error.message}`;
    errors.push(field.invalid(field.child(path, 'pattern'), pattern, words));
  }
};

/** Keywords that only the outer schema may use, and what is said about them inside of allOf and the like. */
const FORBIDDEN_INSIDE: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

const checkNested = (path: string, schema: JsonSchema, skipAnyOf: boolean, errors: FieldError[]): void => {
  checkValues(path, schema, skipAnyOf, false, errors);
  if (schema.items !== undefined) checkNested(field.child(path, 'items'), schema.items, false, errors);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    checkNested(property(path, name), inner, false, errors);
  }
  for (const [name, words] of FORBIDDEN_INSIDE) {
    const value = schema[name];
    if (value === undefined || value === '' || (value === false && name !== 'additionalProperties')) continue;
    errors.push(field.forbidden(field.child(path, name), words));
  }
  if (schema.properties?.metadata !== undefined) {
    errors.push(field.forbidden(property(path, 'metadata'), 'must not be specified in a nested context'));
  }
};

/** Every field that a nested schema constrains must be specified outside of it too. */
const checkComplete = (
  values: JsonSchema,
  schema: JsonSchema,
  schemaPath: string,
  path: string,
  errors: FieldError[],
): void => {
  const nested = (inner: JsonSchema, at: string): void => checkNestedComplete(inner, schema, schemaPath, at, errors);
  if (values.not !== undefined) nested(values.not, field.child(path, 'not'));
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [at, inner] of (values[name] ?? []).entries()) nested(inner, field.index(field.child(path, name), at));
  }
};

const checkNestedComplete = (
  values: JsonSchema,
  schema: JsonSchema | undefined,
  schemaPath: string,
  path: string,
  errors: FieldError[],
): void => {
  if (schema === undefined) {
    errors.push(field.required(schemaPath, `because it is defined in ${path}`));
    return;
  }
  checkComplete(values, schema, schemaPath, path, errors);
  if (values.items !== undefined) {
    const at = field.child(schemaPath, 'items');
    checkNestedComplete(values.items, schema.items, at, field.child(path, 'items'), errors);
  }
  for (const [name, inner] of Object.entries(values.properties ?? {})) {
    checkNestedComplete(inner, schema.properties?.[name], property(schemaPath, name), property(path, name), errors);
  }
};
