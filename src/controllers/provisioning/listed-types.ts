const SHOWN_TYPES = 5;

/** Names of instance types for a log line: five of them, and how many more there are. */
export function listedTypes(types: readonly string[]): string {
  const shown = types.slice(0, SHOWN_TYPES).join(', ');
  return types.length > SHOWN_TYPES ? `${shown} and ${types.length - SHOWN_TYPES} other(s)` : shown;
}
