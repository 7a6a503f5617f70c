/** One place where two values are not the same. */
export interface Difference {
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Where two plain values differ, down to the leaves. */
export function differences(ours: unknown, theirs: unknown, path = ''): readonly Difference[] {
  if (Object.is(ours, theirs)) return [];
  if (!isObject(ours) || !isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    return [{ path, ours, theirs }];
  }
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  return keys.flatMap((key) => differences(ours[key], theirs[key], path === '' ? key : `${path}.${key}`));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
