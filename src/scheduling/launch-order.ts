import { goSort } from './go-sort.ts';
import { cheapestPrice } from './instance-offerings.ts';
import type { InstanceType } from './instance-type.ts';
import { satisfiesMinValues } from './min-values.ts';
import type { Requirements } from './requirements.ts';

/** A launch request names at most this many types (karpenter-core.md 4.7.1). */
const MAX_INSTANCE_TYPES = 600;

/** Cheapest first by what the requirements allow; types without such an offering last. A copy (karpenter-core.md 0.9). */
export function orderByPrice(
  types: readonly InstanceType[],
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): InstanceType[] {
  const priced = types.map((type) => ({ type, price: cheapestPrice(type, requirements, wellKnown) }));
  goSort(priced, (a, b) => a.price < b.price);
  return priced.map(({ type }) => type);
}

/**
 * The first types in launch order (karpenter-core.md 0.10).
 *
 * @returns a message instead, when that leaves too few values for the requirements' minValues and `strict` is set
 */
export function truncate(
  ordered: readonly InstanceType[],
  requirements: Requirements,
  strict: boolean,
  countExcluded: boolean,
): readonly InstanceType[] | string {
  const kept = ordered.length > MAX_INSTANCE_TYPES ? ordered.slice(0, MAX_INSTANCE_TYPES) : ordered;
  if (!strict || !requirements.hasMinValues()) return kept;
  const { error } = satisfiesMinValues(kept, requirements, countExcluded);
  return error === undefined ? kept : `validating minValues, ${error}`;
}
