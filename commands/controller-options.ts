import { controllerFlags, givenOptions } from '../src/cli/flags/controller-flags.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { OptionError } from '../src/operator/option-error.ts';
import type { OperatorOptions } from '../src/operator/options.ts';
import { parseOptions } from '../src/operator/parse-options.ts';
import type { Environment } from './controller-providers.ts';

/**
 * The options of a controller with these flags and this environment.
 *
 * @throws {UsageError}
 */
export function operatorOptions(flags: Readonly<Record<string, unknown>>, env: Environment): OperatorOptions {
  try {
    return parseOptions(givenOptions(controllerFlags, flags), env);
  } catch (error) {
    throw asUsageError(error);
  }
}

/** A bad option is bad usage; anything else stays what it is. */
export const asUsageError = (error: unknown): unknown =>
  error instanceof OptionError ? new UsageError(error.message, { cause: error }) : error;
