import { goBoolean } from './go-values.ts';
import { OptionError } from './option-error.ts';

/**
 * `A=true,B=false`, as upstream's flag is read; gates that nobody knows are ignored, so that old settings outlive their
 * gate (karpenter-core.md 10.2).
 *
 * @throws {OptionError}
 */
export function parseFeatureGates<Gates extends { readonly [Name in keyof Gates]: boolean }>(
  list: string,
  defaults: Gates,
): Gates {
  const gates: Record<string, boolean> = { ...defaults };
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
  return { ...defaults, ...gates };
}

const malformed = (problem: string): OptionError => new OptionError(`parsing feature gates, ${problem}`);
