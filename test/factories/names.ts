let count = 0;

/** A name that no other object of this test run has. */
export function uniqueName(kind: string): string {
  count++;
  return `${kind}-${count.toString(36).padStart(4, '0')}`;
}
