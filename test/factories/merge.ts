/** Fields of `T` to override, at any depth. */
export type Overrides<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Overrides<T[K]> }
    : T;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with the overrides laid over it: objects field by field, lists and values whole; undefined removes. */
export function merge<T extends object>(base: T, ...overrides: readonly (Overrides<NoInfer<T>> | undefined)[]): T {
  let result: Record<string, unknown> = { ...(base as Record<string, unknown>) };
  for (const override of overrides) {
    for (const [key, value] of Object.entries(override ?? {})) {
      const old = result[key];
      if (value === undefined) {
        const { [key]: _, ...rest } = result;
        result = rest;
      } else result[key] = isPlain(old) && isPlain(value) ? merge(old, value) : value;
    }
  }
  return result as T;
}
