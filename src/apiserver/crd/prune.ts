import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { child, index } from '../validation/field-error.ts';
import type { Structural } from './structural.ts';

/** A value without the fields its schema does not have, and the paths of what was dropped. */
export interface Pruned<T> {
  readonly value: T;
  readonly dropped: readonly string[];
}

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Prunes an object of a custom resource (apiextensions' schema/pruning). `apiVersion`, `kind` and `metadata` stay, at the
 * root and in embedded resources. Paths come sorted.
 */
export const pruneObject = (object: JsonObject, schema: Structural): Pruned<JsonObject> => {
  const dropped: string[] = [];
  const value = pruneFields(object, schema, '', true, dropped);
  return { value, dropped: dropped.sort() };
};

/** A value inside of an object, such as a default, without what its schema does not have. */
export const pruneValue = (value: Json, schema: Structural): Json => prune(value, schema, '', []);

/** `schema` undefined: nothing is specified, so an object's fields all go. */
const prune = (value: Json, schema: Structural | undefined, path: string, dropped: string[]): Json => {
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    return schema?.preserveUnknown === true
      ? list.map((item, at) =>
          schema.items === undefined ? item : pruneKept(item, schema.items, index(path, at), dropped),
        )
      : list.map((item, at) => prune(item, schema?.items, index(path, at), dropped));
  }
  if (!isObject(value)) return value;
  if (schema === undefined) {
    for (const name of Object.keys(value)) dropped.push(child(path, name));
    return {};
  }
  return pruneFields(value, schema, path, schema.embedded, dropped);
};

/** Inside a list that keeps unknown fields, items keep theirs too, while specified ones are pruned as usual. */
const pruneKept = (value: Json, schema: Structural, path: string, dropped: string[]): Json =>
  isObject(value) ? pruneFields(value, { ...schema, preserveUnknown: true }, path, schema.embedded, dropped) : value;

const pruneFields = (
  object: JsonObject,
  schema: Structural,
  path: string,
  resource: boolean,
  dropped: string[],
): JsonObject => {
  const out: Record<string, Json> = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (resource && META_FIELDS.has(name)) {
      out[name] = value;
      continue;
    }
    const property = schema.properties.get(name);
    if (property !== undefined) out[name] = prune(value, property, child(path, name), dropped);
    else if (schema.allowsAdditional) out[name] = prune(value, schema.additional, child(path, name), dropped);
    else if (schema.preserveUnknown) out[name] = value;
    else dropped.push(child(path, name));
  }
  return out;
};
