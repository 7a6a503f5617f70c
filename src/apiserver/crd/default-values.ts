import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { propertyOf, type Structural } from './structural.ts';

/**
 * Fills a schema's defaults in, also inside lists and maps, and first drops nulls that are neither allowed nor stand for a
 * default (apiextensions' schema/defaulting). Absent objects stay absent unless they have a default themselves.
 */
export const applySchemaDefaults = (object: JsonObject, schema: Structural): JsonObject => {
  const completed = complete(dropNulls(object, schema), schema);
  return completed as JsonObject;
};

const isRefusedNull = (value: Json, schema: Structural | undefined): boolean =>
  value === null && schema !== undefined && !schema.nullable;

/** Public for decoding, which drops them before anything else looks at the object. */
export const dropNulls = (value: Json, schema: Structural | undefined): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => dropNulls(item, schema?.items));
  if (!isObject(value)) return value;
  const out: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const property = propertyOf(schema, name);
    if (isRefusedNull(item, property) && property?.defaultValue === undefined) continue;
    out[name] = dropNulls(item, property);
  }
  return out;
};

const orDefault = (value: Json, schema: Structural): Json =>
  isRefusedNull(value, schema) ? (schema.defaultValue ?? null) : value;

const complete = (value: Json, schema: Structural | undefined): Json => {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : (value as readonly Json[]).map((item) => complete(orDefault(item, items), items));
  }
  if (!isObject(value)) return value;
  const out: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const property = propertyOf(schema, name);
    out[name] = property === undefined ? item : complete(orDefault(item, property), property);
  }
  for (const [name, property] of schema.properties) {
    if (property.defaultValue !== undefined && out[name] === undefined) {
      out[name] = complete(structuredClone(property.defaultValue), property);
    }
  }
  return out;
};
