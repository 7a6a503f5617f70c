import type { FeatureGates } from '../operator/options.ts';
import { OptionError, parseFeatureGates } from '../operator/parse-options.ts';
import { UsageError } from './user-error.ts';

/** The gates that a `--feature-gates` flag sets, the others as they are by default. Throws a UsageError. */
export function featureGatesFlag(list = ''): FeatureGates {
  try {
    return parseFeatureGates(list);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new UsageError(error.message, { cause: error, hints: ['--feature-gates NodeOverlay=true'] });
  }
}
