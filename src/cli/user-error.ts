import { EXIT } from './exit-codes.ts';
import type { ErrorCode } from './messages/error-codes.ts';

export interface UserErrorOptions {
  readonly code: ErrorCode;
  /** What lies behind it, outermost first. */
  readonly because?: readonly string[];
  /** Commands or edits that would help. */
  readonly hints?: readonly string[];
  /** Default 1. */
  readonly exitCode?: number;
  readonly cause?: unknown;
}

/** Something that the user can mend. Printed without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code: ErrorCode;
  readonly because: readonly string[];
  readonly hints: readonly string[];
  readonly exitCode: number;

  constructor(message: string, options: UserErrorOptions) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.because = options.because ?? [];
    this.hints = options.hints ?? [];
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** The command line itself is wrong. */
export class UsageError extends UserError {
  constructor(message: string, options: Partial<UserErrorOptions> = {}) {
    super(message, { code: 'KE1002', exitCode: EXIT.usage, ...options });
  }
}
