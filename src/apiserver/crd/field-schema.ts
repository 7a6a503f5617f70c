import type { FieldSchema, FieldSchemaRef } from '../kind.ts';
import type { Structural } from './structural.ts';

/** The fields of custom resources for merging and applying, read off their structural schema. */

const scalar = (type: 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'time'): FieldSchemaRef => {
  const schema: FieldSchema = { kind: 'scalar', type };
  return () => schema;
};

const STRING = scalar('string');
const INTEGER = scalar('integer');
const BOOLEAN = scalar('boolean');
const TIME = scalar('time');

const UNTYPED: FieldSchema = { kind: 'untyped' };
const STRING_MAP: FieldSchema = { kind: 'map', values: STRING, atomic: false };

const OWNER: FieldSchema = {
  kind: 'struct',
  atomic: true,
  fields: {
    apiVersion: STRING,
    kind: STRING,
    name: STRING,
    uid: STRING,
    controller: BOOLEAN,
    blockOwnerDeletion: BOOLEAN,
  },
};

const OBJECT_META: FieldSchema = {
  kind: 'struct',
  atomic: false,
  fields: {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    selfLink: STRING,
    uid: STRING,
    resourceVersion: STRING,
    generation: INTEGER,
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: INTEGER,
    labels: () => STRING_MAP,
    annotations: () => STRING_MAP,
    ownerReferences: () => OWNERS,
    finalizers: () => FINALIZERS,
    managedFields: () => MANAGED_FIELDS,
  },
};

const OWNERS: FieldSchema = { kind: 'list', items: () => OWNER, listType: 'map', mapKeys: ['uid'] };
const FINALIZERS: FieldSchema = { kind: 'list', items: STRING, listType: 'set' };
const MANAGED_FIELDS: FieldSchema = { kind: 'list', items: () => UNTYPED, listType: 'atomic' };

const memo = (make: () => FieldSchema): FieldSchemaRef => {
  let made: FieldSchema | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const RESOURCE_FIELDS: Readonly<Record<string, FieldSchemaRef>> = {
  apiVersion: STRING,
  kind: STRING,
  metadata: () => OBJECT_META,
};

/** `resource`: the value carries its own type and metadata. */
export const fieldSchemaOf = (schema: Structural, resource: boolean): FieldSchema => {
  const fallback = schema.defaultValue === undefined ? {} : { default: schema.defaultValue };
  if (schema.intOrString) return { kind: 'scalar', type: 'int-or-string', ...fallback };
  const [type] = schema.types;
  if (type === 'array') {
    const { items } = schema;
    const listType = schema.listType ?? 'atomic';
    return {
      kind: 'list',
      items: memo(() => (items === undefined ? UNTYPED : fieldSchemaOf(items, items.embedded))),
      listType,
      ...(listType === 'map' ? { mapKeys: schema.listMapKeys } : {}),
    };
  }
  if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean')
    return { kind: 'scalar', type, ...fallback };
  return objectSchemaOf(schema, resource);
};

const objectSchemaOf = (schema: Structural, resource: boolean): FieldSchema => {
  const { additional, preserveUnknown, atomicMap: atomic } = schema;
  if (additional !== undefined && schema.properties.size === 0 && !resource) {
    return { kind: 'map', values: memo(() => fieldSchemaOf(additional, additional.embedded)), atomic };
  }
  if (schema.properties.size === 0 && !resource && (preserveUnknown || schema.types.length === 0)) return UNTYPED;
  const fields: Record<string, FieldSchemaRef> = {};
  for (const [name, property] of schema.properties)
    fields[name] = memo(() => fieldSchemaOf(property, property.embedded));
  if (resource) Object.assign(fields, RESOURCE_FIELDS);
  return { kind: 'struct', fields, atomic, ...(preserveUnknown ? { preserveUnknown } : {}) };
};
