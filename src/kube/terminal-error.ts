/** A failure that trying again can't mend: the key waits for its next change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';

  constructor(what: string, cause?: unknown) {
    super(cause instanceof Error ? `${what}, ${cause.message}` : what, { cause });
  }
}

/** Whether the error is terminal, or one of several that are told together. */
export function isTerminalError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTerminalError);
  return error instanceof TerminalError;
}
