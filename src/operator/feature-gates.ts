import { goBoolean } from './go-values.ts';
import { OptionError } from './option-error.ts';
import { DEFAULT_FEATURE_GATES, type FeatureGates } from './options.ts';

/**
 * `A=true,B=false`, as upstream's flag is read; gates that nobody knows are ignored, so that old settings outlive their
 * gate (karpenter-core.md 10.2).
 *
 * @throws {OptionError}
 */
export function parseFeatureGates(list: string): FeatureGates {
  const gates: Record<string, boolean> = { ...DEFAULT_FEATURE_GATES };
  for (const pair of list.split(',').filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    if (equals < 0) throw malformed('malformed pair, expect string=bool');
    const name = pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    const on = goBoolean(value);
    if (on === undefined) {
      const problem = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
      throw malformed(`invalid value of ${name}: ${value}, err: ${problem}`);
    }
    if (Object.hasOwn(gates, name)) gates[name] = on;
  }
  return { ...DEFAULT_FEATURE_GATES, ...gates };
}

const malformed = (problem: string): OptionError => new OptionError(`parsing feature gates, ${problem}`);
