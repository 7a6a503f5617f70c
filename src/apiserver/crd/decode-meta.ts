import { isObject } from '../json.ts';
import { FieldTypeError, type Json, type JsonObject } from '../kind.ts';
import { child, index } from '../validation/field-error.ts';
import { goValue } from '../validation/go-text.ts';
import { propertyOf, type Structural } from './structural.ts';

/** What decoding metadata into its Go type does to a custom resource: unknown fields go, wrong types are refused. */

type Shape =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'any'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

const OWNER: Shape = {
  fields: {
    apiVersion: 'string',
    kind: 'string',
    name: 'string',
    uid: 'string',
    controller: 'boolean',
    blockOwnerDeletion: 'boolean',
  },
};

const MANAGED: Shape = {
  fields: {
    manager: 'string',
    operation: 'string',
    apiVersion: 'string',
    time: 'string',
    fieldsType: 'string',
    fieldsV1: 'any',
    subresource: 'string',
  },
};

const OBJECT_META: Shape = {
  fields: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'string',
    resourceVersion: 'string',
    generation: 'integer',
    creationTimestamp: 'string',
    deletionTimestamp: 'string',
    deletionGracePeriodSeconds: 'integer',
    labels: { map: 'string' },
    annotations: { map: 'string' },
    ownerReferences: { list: OWNER },
    finalizers: { list: 'string' },
    managedFields: { list: MANAGED },
  },
};

const JSON_NAME: Readonly<Record<string, string>> = { boolean: 'bool', integer: 'number', number: 'number' };

const refuse = (value: Json, path: string, type: string): never => {
  const kind = Array.isArray(value) ? 'array' : typeof value;
  throw new FieldTypeError(
    `json: cannot unmarshal ${JSON_NAME[kind] ?? kind} into Go struct field ObjectMeta.${path} of type ${type}`,
  );
};

const GO_TYPES = { string: 'string', integer: 'int64', boolean: 'bool' } as const;

const conform = (value: Json, shape: Shape, path: string, unknown: string[]): Json | undefined => {
  if (value === null) return undefined;
  if (shape === 'any') return value;
  if (typeof shape === 'string') {
    const fits = shape === 'integer' ? Number.isInteger(value) : typeof value === shape;
    return fits ? value : refuse(value, path, GO_TYPES[shape]);
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return refuse(value, path, '[]string');
    return (value as readonly Json[]).map((item, at) => conform(item, shape.list, index(path, at), unknown) ?? '');
  }
  if (!isObject(value)) return refuse(value, path, 'fields' in shape ? 'v1.ObjectMeta' : 'map[string]string');
  const out: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const inner = 'map' in shape ? shape.map : shape.fields[name];
    if (inner === undefined) unknown.push(child(path, name));
    else {
      const kept = conform(item, inner, child(path, name), unknown);
      if (kept !== undefined) out[name] = kept;
      else if ('map' in shape) out[name] = '';
    }
  }
  return out;
};

/**
 * The object with its own metadata, and that of embedded resources, decoded. `unknown` receives paths of dropped fields.
 *
 * @throws FieldTypeError where metadata has a field of a wrong type.
 */
export const decodeMeta = (object: JsonObject, schema: Structural, unknown: string[]): JsonObject => {
  const { metadata } = object;
  const own =
    metadata === undefined
      ? undefined
      : (conform(metadata, OBJECT_META, 'metadata', unknown) as JsonObject | undefined);
  const inner = decodeEmbedded(object, { ...schema, embedded: false }, '', unknown) as JsonObject;
  if (metadata === undefined) return inner;
  const { metadata: _, ...rest } = inner;
  return own === undefined ? rest : { ...inner, metadata: own };
};

const decodeEmbedded = (value: Json, schema: Structural | undefined, path: string, unknown: string[]): Json => {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, at) => decodeEmbedded(item, schema.items, index(path, at), unknown));
  }
  if (!isObject(value)) return value;
  const out: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const at = child(path, name);
    if (schema.embedded && name === 'metadata') {
      const decoded = conform(item, OBJECT_META, at, unknown);
      if (decoded !== undefined) out[name] = decoded;
    } else if (schema.embedded && (name === 'apiVersion' || name === 'kind') && typeof item !== 'string') {
      throw new FieldTypeError(`${at}: Invalid value: ${goValue(item)}: must be a string`);
    } else {
      out[name] = decodeEmbedded(item, propertyOf(schema, name), at, unknown);
    }
  }
  return out;
};
