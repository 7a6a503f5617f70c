import type { Field, StructType } from '../types/index.ts';

/** Numbers of a struct's message: a field each, or the fields of a struct that Go inlines. */
export type Layout = ReadonlyMap<number, Field | Layout>;

/** How a struct's fields lie in its message, by number. */
export const layoutOf = (struct: StructType): Layout => layout(struct.fields.map((field) => [field.numbers, field]));

/** Groups fields by their first number, so that an inlined struct's message lies one level deeper. */
function layout(fields: readonly (readonly [readonly number[], Field])[]): Layout {
  const result = new Map<number, Field | Layout>();
  const inlined = new Map<number, [readonly number[], Field][]>();
  for (const [[first, ...rest], field] of fields) {
    if (first === undefined) continue;
    if (rest.length === 0) result.set(first, field);
    else inlined.set(first, [...(inlined.get(first) ?? []), [rest, field]]);
  }
  for (const [number, group] of inlined) result.set(number, layout(group));
  return result;
}
