import { jsonEqual } from './json-equal.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The JSON merge patch (RFC 7396) that turns one object into another; undefined when they are equal. A field set to
 * undefined counts as absent. Lists are replaced whole, so patch those under a resourceVersion.
 */
export function mergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const [from, to] = [before as Json, after as Json];
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && to[key] === undefined) patch[key] = null;
  }
  for (const [key, value] of Object.entries(to)) {
    const old = from[key];
    if (value === undefined || jsonEqual(old, value)) continue;
    patch[key] = isObject(old) && isObject(value) ? mergePatch(old, value) : value;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
