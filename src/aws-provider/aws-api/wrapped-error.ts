/** An error that says what was being done; the reason is behind it and stays its cause. */
export function wrappedError(doing: string, cause: unknown): Error {
  return new Error(`${doing}, ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
