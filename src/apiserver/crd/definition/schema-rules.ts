import type { JsonSchema, ValidationRule } from '../../../apis/crds/json-schema.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { readFieldPath } from '../cel/field-path.ts';
import { compileStructural } from '../structural.ts';

/** What apiextensions asks of each node of a schema beyond being structural (ValidateCustomResourceDefinitionOpenAPISchema). */

export interface SchemaContext {
  readonly root: boolean;
  /** Why defaults are not allowed here; empty where they are. */
  readonly defaultsForbidden: string;
  readonly insideMeta: boolean;
}

export const ROOT_CONTEXT: SchemaContext = { root: true, defaultsForbidden: '', insideMeta: false };

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

export const validateSchema = (path: string, schema: JsonSchema, context: SchemaContext): readonly FieldError[] => {
  const errors: FieldError[] = [];
  visit(path, schema, context, errors);
  return errors;
};

const visit = (path: string, schema: JsonSchema, context: SchemaContext, errors: FieldError[]): void => {
  checkKeywords(path, schema, context, errors);
  const inner: SchemaContext = { ...context, root: false };
  visitAdditional(path, schema, inner, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meta = META_FIELDS.has(name) && (context.root || schema['x-kubernetes-embedded-resource'] === true);
    const below: SchemaContext = {
      root: false,
      insideMeta: context.insideMeta || meta,
      defaultsForbidden: meta && context.root ? `in top-level ${name}` : context.defaultsForbidden,
    };
    visit(field.key(field.child(path, 'properties'), name), property, below, errors);
  }
  if (schema.not !== undefined) visit(field.child(path, 'not'), schema.not, inner, errors);
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [at, part] of (schema[name] ?? []).entries()) {
      visit(field.index(field.child(path, name), at), part, inner, errors);
    }
  }
  if (schema.items !== undefined) visit(field.child(path, 'items'), schema.items, inner, errors);
  checkPreserve(path, schema, errors);
  checkMapType(path, schema, errors);
  checkListType(path, schema, errors);
  checkListMap(path, schema, errors);
  for (const [at, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    checkRule(field.index(field.child(path, 'x-kubernetes-validations'), at), schema, rule, errors);
  }
};

const checkKeywords = (path: string, schema: JsonSchema, context: SchemaContext, errors: FieldError[]): void => {
  const type = schema.type ?? '';
  if (type !== '' && !TYPES.includes(type)) errors.push(field.notSupported(field.child(path, 'type'), type, TYPES));
  if (schema.default !== undefined && context.defaultsForbidden !== '') {
    errors.push(field.forbidden(field.child(path, 'default'), `must not be set ${context.defaultsForbidden}`));
  }
  for (const name of UNSUPPORTED) {
    if ((schema as JsonObject)[name] === undefined) continue;
    errors.push(field.forbidden(field.child(path, name), `${name} is not supported`));
  }
  if (type === 'null') {
    const words = 'type cannot be set to null, use nullable as an alternative';
    errors.push(field.forbidden(field.child(path, 'type'), words));
  }
  if (context.insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    const words = 'must not be used inside of resource meta';
    errors.push(field.forbidden(field.child(path, 'x-kubernetes-embedded-resource'), words));
  }
  if (schema.uniqueItems === true) {
    const words = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(field.forbidden(field.child(path, 'uniqueItems'), words));
  }
};

const visitAdditional = (path: string, schema: JsonSchema, context: SchemaContext, errors: FieldError[]): void => {
  const additional = schema.additionalProperties;
  if (additional === undefined) return;
  const at = field.child(path, 'additionalProperties');
  if (Object.keys(schema.properties ?? {}).length > 0 && additional !== true) {
    errors.push(field.forbidden(at, 'additionalProperties and properties are mutual exclusive'));
  }
  if (typeof additional !== 'object') return;
  const forbidden = context.insideMeta
    ? 'inside additionalProperties applying to object metadata'
    : context.defaultsForbidden;
  visit(at, additional, { ...context, defaultsForbidden: forbidden }, errors);
};

const checkPreserve = (path: string, schema: JsonSchema, errors: FieldError[]): void => {
  if (schema['x-kubernetes-preserve-unknown-fields'] !== false) return;
  errors.push(
    field.invalid(field.child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
  );
};

const mustBe = (path: string, actual: string, type: string, extension: string, errors: FieldError[]): void => {
  if (actual === type) return;
  const words = `must be ${type} if ${extension} is specified`;
  const at = field.child(path, 'type');
  errors.push(actual === '' ? field.required(at, words) : field.invalid(at, actual, words));
};

const checkMapType = (path: string, schema: JsonSchema, errors: FieldError[]): void => {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return;
  mustBe(path, schema.type ?? '', 'object', 'x-kubernetes-map-type', errors);
  if (mapType === 'atomic' || mapType === 'granular') return;
  errors.push(field.notSupported(field.child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
};

const checkListType = (path: string, schema: JsonSchema, errors: FieldError[]): void => {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return;
  mustBe(path, schema.type ?? '', 'array', 'x-kubernetes-list-type', errors);
  const { items } = schema;
  const itemsPath = field.child(path, 'items');
  const words = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (schema.type === 'array' && listType === 'set' && items !== undefined) {
    const inner = items['x-kubernetes-list-type'];
    if (items.type === 'array' && inner !== undefined && inner !== 'atomic') {
      errors.push(field.invalid(field.child(itemsPath, 'x-kubernetes-list-type'), inner, words));
    }
    if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
      errors.push(field.invalid(field.child(itemsPath, 'x-kubernetes-map-type'), inner ?? null, words));
    }
  }
  if (listType === 'atomic' || listType === 'set' || listType === 'map') return;
  errors.push(field.notSupported(field.child(path, 'x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
};

const checkListMap = (path: string, schema: JsonSchema, errors: FieldError[]): void => {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const typePath = field.child(path, 'x-kubernetes-list-type');
  const keysPath = field.child(path, 'x-kubernetes-list-map-keys');
  const words = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (keys.length > 0 && listType === undefined) errors.push(field.required(typePath, words));
  else if (keys.length > 0 && listType !== 'map') errors.push(field.invalid(typePath, listType, words));
  const { items } = schema;
  const itemsPath = field.child(path, 'items');
  if (listType === 'map') {
    if (keys.length === 0) errors.push(field.required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
    if (items === undefined) {
      errors.push(field.required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
    } else if (items.type !== 'object') {
      const text = "must be object if parent array's x-kubernetes-list-type is map";
      errors.push(field.invalid(field.child(itemsPath, 'type'), items.type ?? '', text));
    } else checkKeys(keysPath, itemsPath, keys, items, errors);
  }
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return;
  if (items.nullable === true) {
    const text = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(field.forbidden(field.child(itemsPath, 'nullable'), text));
  }
  if (listType === 'map') checkKeyValues(itemsPath, keys, items, errors);
};

const checkKeys = (
  keysPath: string,
  itemsPath: string,
  keys: readonly string[],
  items: JsonSchema,
  errors: FieldError[],
): void => {
  for (const [at, name] of keys.entries()) {
    const property = items.properties?.[name];
    if (property === undefined) {
      errors.push(field.invalid(keysPath, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const typePath = field.child(field.key(field.child(itemsPath, 'properties'), name), 'type');
      const words = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(field.invalid(typePath, items.type, words));
    }
    if (keys.indexOf(name) < at) errors.push(field.invalid(keysPath, keys, 'must not contain duplicate entries'));
  }
};

const checkKeyValues = (itemsPath: string, keys: readonly string[], items: JsonSchema, errors: FieldError[]): void => {
  for (const name of keys) {
    const property = items.properties?.[name];
    if (property === undefined) continue;
    const at = field.key(field.child(itemsPath, 'properties'), name);
    if (!(items.required ?? []).includes(name) && property.default === undefined) {
      const words =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(field.required(field.child(at, 'default'), words));
    }
    if (property.nullable === true) {
      const words = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(field.forbidden(field.child(at, 'nullable'), words));
    }
  }
};

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

const checkRule = (path: string, schema: JsonSchema, rule: ValidationRule, errors: FieldError[]): void => {
  const [message, expression, fieldPath] = [rule.message ?? '', rule.messageExpression ?? '', rule.fieldPath ?? ''];
  const messagePath = field.child(path, 'message');
  const text = message.trim();
  if (rule.rule.trim() === '') errors.push(field.required(field.child(path, 'rule'), 'rule is not specified'));
  else if (message !== '' && text === '') {
    errors.push(field.invalid(messagePath, message, 'must be non-empty if specified'));
  } else if (hasBreaks(text)) errors.push(field.invalid(messagePath, message, 'must not contain line breaks'));
  else if (hasBreaks(rule.rule.trim()) && text === '') {
    errors.push(field.required(messagePath, 'message must be specified if rule contains line breaks'));
  }
  if (expression !== '' && expression.trim() === '') {
    const words = 'messageExpression must be non-empty if specified';
    errors.push(field.required(field.child(path, 'messageExpression'), words));
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    errors.push(field.notSupported(field.child(path, 'reason'), rule.reason, REASONS));
  }
  if (fieldPath === '') return;
  const at = field.child(path, 'fieldPath');
  if (fieldPath.trim() === '') errors.push(field.invalid(at, fieldPath, 'must be non-empty if specified'));
  if (hasBreaks(fieldPath)) errors.push(field.invalid(at, fieldPath, 'must not contain line breaks'));
  if ('error' in readFieldPath(fieldPath, compileStructural(schema))) {
    errors.push(field.invalid(at, fieldPath, 'must be a valid path'));
  }
};
