/** The controller can't start: says at what, with the cause. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
}

/** A problem with what led to it. */
export const failed = (problem: string, cause: unknown): StartUpError =>
  new StartUpError(`${problem}, ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
