/** An error that says what was being done; the reason is behind it and stays its cause. */
export function wrappedError(doing: string, cause: unknown): Error {
  return new Error(`${doing}, ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

/** Does the work; what goes wrong says what was being done. */
export function wrappingErrors<T>(doing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw wrappedError(doing, error);
  }
}
