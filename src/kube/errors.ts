import type { Status } from './client.ts';

/** The API answered, and refused. `code` is the HTTP status, `reason` the metav1.StatusReason. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? `the server answered ${status.code ?? 'nothing'}`);
    this.name = 'ApiError';
    this.code = status.code ?? 500;
    this.reason = status.reason ?? '';
    this.status = status;
  }
}

/** There was no answer: refused, reset, timed out, or not HTTP. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

const hasCode = (error: unknown, code: number): boolean => error instanceof ApiError && error.code === code;

export const isNotFound = (error: unknown): boolean => hasCode(error, 404);
/** For `catch`: whoever deleted the object has done away with the rest of the work on it. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
/** A right is missing. */
export const isForbidden = (error: unknown): boolean => hasCode(error, 403);
/** 409 with reason Conflict: somebody else changed the object. */
export const isConflict = (error: unknown): boolean => hasCode(error, 409) && (error as ApiError).reason === 'Conflict';
export const isAlreadyExists = (error: unknown): boolean =>
  hasCode(error, 409) && (error as ApiError).reason === 'AlreadyExists';
export const isTooManyRequests = (error: unknown): boolean => hasCode(error, 429);
/** The resource version or continue token is too old: list again. */
export const isExpired = (error: unknown): boolean => hasCode(error, 410);
/** What was asked for may have been done all the same. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && error.code >= 500);
