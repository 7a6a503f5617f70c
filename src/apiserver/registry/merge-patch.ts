import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';

/** RFC 7386: maps merge, null removes, everything else replaces. Leaves both arguments as they are. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: Record<string, Json | undefined> = { ...(isObject(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged as JsonObject;
}
