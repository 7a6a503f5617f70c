import type { Json, JsonObject } from '../kind.ts';

/** A JSON value as Go's `%v` prints it: `map[image:x name:c]`, `[a b]`, `<nil>`. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const object = value as JsonObject;
  const fields = Object.keys(object).sort();
  return `map[${fields.map((key) => `${key}:${goPrint(object[key])}`).join(' ')}]`;
}
