import type { InstanceType } from './instance-type.ts';
import type { Requirements } from './requirements.ts';

export interface MinValuesOutcome {
  /** How many types from the front are enough; all of them when it fails. 0 when nothing is asked. */
  readonly needed: number;
  /** Keys that fall short → how many distinct values there are. Empty on success. */
  readonly shortfall: ReadonlyMap<string, number>;
  /** Upstream's wording; undefined on success. */
  readonly error: string | undefined;
}

const SATISFIED: ReadonlyMap<string, number> = new Map();

/**
 * Whether the types, taken in order, bring as many distinct values of each key as its minValues asks for. No types at all
 * counts as success, as upstream has it (karpenter-core.md 0.11).
 *
 * @param countExcluded count values that the requirement itself rules out, as upstream does
 */
export function satisfiesMinValues(
  types: readonly InstanceType[],
  requirements: Requirements,
  countExcluded = false,
): MinValuesOutcome {
  const wanted = [...requirements].filter((r) => r.minValues !== undefined);
  if (wanted.length === 0 || types.length === 0) return { needed: 0, shortfall: SATISFIED, error: undefined };
  const seen = new Map(wanted.map((r) => [r.key, new Set<string>()]));
  const missing = new Map<string, number>();
  for (const [position, type] of types.entries()) {
    for (const requirement of wanted) {
      const { key, minValues = 0 } = requirement;
      const values = seen.get(key) ?? new Set();
      for (const value of type.requirements.find(key)?.values ?? []) {
        if (countExcluded || requirement.has(value)) values.add(value);
      }
      if (values.size < minValues) missing.set(key, values.size);
      else missing.delete(key);
    }
    if (missing.size === 0) return { needed: position + 1, shortfall: SATISFIED, error: undefined };
  }
  const labels = [...missing.keys()].sort().join(' ');
  return {
    needed: types.length,
    shortfall: missing,
    error: `minValues requirement is not met for label(s) (label(s)=[${labels}])`,
  };
}
