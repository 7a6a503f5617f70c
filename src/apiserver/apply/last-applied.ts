import { isObject } from '../json.ts';
import type { FieldSchema, JsonObject } from '../kind.ts';
import { checkTyped } from './check-typed.ts';
import { compareTyped } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** All annotations of an object together may not be longer. */
const MOST_ANNOTATION_BYTES = 256 * 1024;

/**
 * Fields that client-side apply set and nobody has changed since: kubectl's first server-side apply may take them over
 * without a conflict. Undefined where the annotation is absent or of no use.
 */
export function unchangedSinceLastApplied(
  live: JsonObject,
  apiVersion: string,
  schema: FieldSchema,
): FieldSet | undefined {
  const text = annotationsOf(live)[ANNOTATION];
  if (typeof text !== 'string' || text === '') return undefined;
  const lastApplied = parse(text);
  if (lastApplied?.apiVersion !== apiVersion || checkTyped(lastApplied, schema).length > 0) return undefined;
  const { modified, added, removed } = compareTyped(lastApplied, live, schema);
  return [modified, added, removed].reduce(difference, toFieldSet(lastApplied, schema));
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the annotation of an object that has one up to date, so that client-side apply can take over again. */
export function refreshLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (!annotations[ANNOTATION]) return object;
  const { [ANNOTATION]: _, ...others } = annotations;
  const value = `${JSON.stringify(withoutAnnotation(config))}\n`;
  const size = Object.entries({ ...others, [ANNOTATION]: value }).reduce(
    (sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(text)),
    0,
  );
  const refreshed = size > MOST_ANNOTATION_BYTES ? others : { ...annotations, [ANNOTATION]: value };
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: refreshed } };
}

function withoutAnnotation(config: JsonObject): JsonObject {
  if (!isObject(config.metadata) || !isObject(config.metadata.annotations)) return config;
  const { [ANNOTATION]: _, ...annotations } = config.metadata.annotations;
  return { ...config, metadata: { ...config.metadata, annotations } };
}

const annotationsOf = (object: JsonObject): JsonObject =>
  isObject(object.metadata) && isObject(object.metadata.annotations) ? object.metadata.annotations : {};
