import { jsonEqual } from '../../kube/json-equal.ts';
import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { managedFieldsOf } from './managers.ts';

/**
 * The new object, or the old one where they differ only in the times of managedFields: such a write is none, and must leave
 * the resource version alone (apiserver handlers/fieldmanager/equality.go).
 */
export function keepTimestamps(old: JsonObject, object: JsonObject): JsonObject {
  return jsonEqual(timeless(old), timeless(object)) ? old : object;
}

function timeless(object: JsonObject): JsonObject {
  const entries = managedFieldsOf(object);
  if (!Array.isArray(entries) || !isObject(object.metadata)) return object;
  const managedFields = (entries as readonly Json[]).map((entry) => {
    if (!isObject(entry)) return entry;
    const { time: _, ...rest } = entry;
    return rest;
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
