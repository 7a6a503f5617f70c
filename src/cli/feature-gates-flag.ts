import { parseFeatureGates } from '../operator/feature-gates.ts';
import { OptionError } from '../operator/option-error.ts';
import type { FeatureGates } from '../operator/options.ts';
import { DEFAULT_FEATURE_GATES } from '../operator/options.ts';
import { UsageError } from './user-error.ts';

/** The gates that a `--feature-gates` flag sets, the others as they are by default. Throws a UsageError. */
export function featureGatesFlag(list = ''): FeatureGates {
  try {
    return parseFeatureGates(list, DEFAULT_FEATURE_GATES);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new UsageError(error.message, { cause: error, hints: ['--feature-gates NodeOverlay=true'] });
  }
}
