/** The same without fields that are null, however deep; what has none is not copied. Items of lists keep their places. */
export function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    return items.some((item, i) => item !== value[i]) ? (items as T) : value;
  }
  let changed = false;
  const kept: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) {
    const clean = withoutNulls(part);
    if (clean !== part || part === null) changed = true;
    if (clean !== null) kept.push([name, clean]);
  }
  return changed ? (Object.fromEntries(kept) as T) : value;
}
