/** A message followed by what it is about, as upstream's structured errors print themselves: sorted, `key=value`. */
export function withFacts(message: string, facts: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${message} (${entries.map(([key, value]) => `${key}=${String(value)}`).join(', ')})`;
}
