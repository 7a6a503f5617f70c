import type { JsonObject } from '../kind.ts';

/** OpenAPI v2 (swagger) or v3. They differ in how a reference is written, in defaults, and in unions. */
export type Dialect = 'v2' | 'v3';

const PREFIXES: Readonly<Record<Dialect, string>> = { v2: '#/definitions/', v3: '#/components/schemas/' };

export const refTo = (name: string, dialect: Dialect): JsonObject => ({ $ref: PREFIXES[dialect] + name });

/** A reference with more beside it: v3 ignores siblings of `$ref`, so they need an `allOf`. */
export function refWith(name: string, dialect: Dialect, beside: JsonObject): JsonObject {
  const reference = refTo(name, dialect);
  if (Object.keys(beside).length === 0) return reference;
  return dialect === 'v2' ? { ...beside, ...reference } : { ...beside, allOf: [reference] };
}
