import { isObject } from '../../json.ts';
import type { Json, JsonObject } from '../../kind.ts';
import type { Structural } from '../structural.ts';
import { celIdentifier } from './identifiers.ts';

/** Turns JSON into CEL values as its schema types them: integers are bigints, formats make timestamps, durations and bytes. */

/** Makes a cel-js duration of Go's notation. */
export type DurationReader = (text: string) => unknown;

const fromText = (text: string, format: string, readDuration: DurationReader): unknown => {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format === 'duration') return readDuration(text);
  if (format === 'date' || format === 'date-time' || format === 'datetime') return new Date(text);
  return text;
};

const fromNumber = (value: number, schema: Structural): unknown =>
  (schema.types.includes('integer') || schema.types.length === 0) && Number.isInteger(value) ? BigInt(value) : value;

const META_SCHEMA_FIELDS = ['name', 'generateName'];

const metaFields = (value: Json | undefined): Record<string, unknown> => {
  const out: Record<string, unknown> = {};
  if (value === undefined || !isObject(value)) return out;
  for (const name of META_SCHEMA_FIELDS) if (value[name] !== undefined) out[name] = value[name];
  return out;
};

const fromObject = (
  value: JsonObject,
  schema: Structural,
  resource: boolean,
  readDuration: DurationReader,
): unknown => {
  const out: Record<string, unknown> = {};
  if (schema.additional !== undefined && schema.properties.size === 0) {
    for (const [name, item] of Object.entries(value)) {
      if (item !== undefined) out[name] = toCel(item, schema.additional, schema.additional.embedded, readDuration);
    }
    return out;
  }
  for (const [name, property] of schema.properties) {
    const item = value[name];
    const identifier = celIdentifier(name);
    if (item === undefined || identifier === undefined) continue;
    out[identifier] = toCel(item, property, property.embedded, readDuration);
  }
  if (!resource) return out;
  for (const name of ['apiVersion', 'kind']) if (typeof value[name] === 'string') out[name] = value[name];
  out.metadata = metaFields(value.metadata);
  return out;
};

/** `resource`: the value is the root of an object, whose type and metadata CEL can see. */
export const toCel = (value: Json, schema: Structural, resource: boolean, readDuration: DurationReader): unknown => {
  if (value === null) return null;
  if (typeof value === 'string') return fromText(value, schema.format, readDuration);
  if (typeof value === 'number') return fromNumber(value, schema);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return (value as readonly Json[]).map((item) => toCel(item, items, items.embedded, readDuration));
  }
  return isObject(value) ? fromObject(value, schema, resource, readDuration) : value;
};
