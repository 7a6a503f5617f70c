import { asObject, asString } from './json.ts';
import type { Json, JsonObject } from './kind.ts';

export const metaOf = (object: JsonObject): JsonObject => asObject(object.metadata);
export const nameOf = (object: JsonObject): string => asString(metaOf(object).name);
export const namespaceOf = (object: JsonObject): string => asString(metaOf(object).namespace);
export const uidOf = (object: JsonObject): string => asString(metaOf(object).uid);
export const resourceVersionOf = (object: JsonObject): string => asString(metaOf(object).resourceVersion);
export const labelsOf = (object: JsonObject): Readonly<Record<string, string>> =>
  asObject(metaOf(object).labels) as Readonly<Record<string, string>>;
export const isDeleting = (object: JsonObject): boolean => metaOf(object).deletionTimestamp !== undefined;
export const finalizersOf = (object: JsonObject): readonly string[] =>
  Array.isArray(metaOf(object).finalizers) ? (metaOf(object).finalizers as string[]) : [];

/** A copy with some of metadata's fields set; undefined takes one out. */
export function withMeta(object: JsonObject, fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const metadata: Record<string, Json | undefined> = { ...metaOf(object) };
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) delete metadata[key];
    else metadata[key] = value;
  }
  return { ...object, metadata };
}
