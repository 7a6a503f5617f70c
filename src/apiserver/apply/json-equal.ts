import { isJsonObject } from '../json-object.ts';
import type { Json } from '../kind.ts';

/** Deep equality of JSON values; the order of keys doesn't count, and an undefined member is as good as none. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Json, index) => jsonEqual(item, b[index] as Json));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const defined = Object.keys(a).filter((key) => a[key] !== undefined);
  if (defined.length !== Object.keys(b).filter((key) => b[key] !== undefined).length) return false;
  return defined.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}
