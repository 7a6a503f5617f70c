/** A text that two values share when they hold the same, in whatever order their lists and keys are. */
export function contentKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(contentKey).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields
    .map(([name, field]) => `${JSON.stringify(name)}:${contentKey(field)}`)
    .sort()
    .join()}}`;
}
