import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';

/** The target after a JSON merge patch (RFC 7386): null deletes, objects merge, anything else replaces. Changes nothing. */
export function applyJsonMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result = new Map<string, Json | undefined>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) result.delete(key);
    else if (isObject(value)) {
      const old = result.get(key);
      result.set(key, applyJsonMergePatch(isObject(old) ? old : {}, value));
    } else result.set(key, value);
  }
  return Object.fromEntries(result);
}
