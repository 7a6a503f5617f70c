import type { Json, JsonObject } from './kind.ts';

const none: JsonObject = Object.freeze({});
const nothing: readonly Json[] = Object.freeze([]);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `value` if it is an object, else an empty one: reading on never fails. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : none);
export const asArray = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : nothing);
/** A list of objects, such as containers. */
export const asObjects = (value: unknown): readonly JsonObject[] => asArray(value).map(asObject);
export const asString = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The value at a path of keys, or undefined. */
export function at(value: unknown, ...path: readonly string[]): Json | undefined {
  let here: unknown = value;
  for (const key of path) {
    if (!isObject(here)) return undefined;
    here = here[key];
  }
  return here as Json | undefined;
}

/** A copy of `object` with `value` at `path`; undefined takes the key out. Everything beside the path is shared. */
export function withAt(object: JsonObject, path: readonly string[], value: Json | undefined): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const next = rest.length === 0 ? value : withAt(asObject(object[key]), rest, value);
  if (next !== undefined) return { ...object, [key]: next };
  if (!(key in object)) return object;
  const { [key]: _, ...others } = object;
  return others;
}

/** Freezes `value` and all in it. A frozen part is taken to be frozen throughout, so that shared parts cost nothing. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}

/** RFC 3339 in whole seconds, as metav1.Time prints. */
export const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
