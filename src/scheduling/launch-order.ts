import { goSort } from './go-sort.ts';
import { cheapestPrice } from './instance-offerings.ts';
import type { InstanceType } from './instance-type.ts';
import { satisfiesMinValues } from './min-values.ts';
import type { OpenClaim } from './open-claim.ts';
import type { RequirementSet } from './requirement-sets.ts';
import type { Requirements } from './requirements.ts';

/** A launch request names at most this many types (karpenter-core.md 4.7.1). */
const MAX_INSTANCE_TYPES = 600;

/** Cheapest first by what the requirements allow; types without such an offering last. A copy (karpenter-core.md 0.9). */
export function orderByPrice(
  types: readonly InstanceType[],
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): InstanceType[] {
  return cheapestFirst(types, (type) => cheapestPrice(type, requirements, wellKnown));
}

function cheapestFirst(types: readonly InstanceType[], priceOf: (type: InstanceType) => number): InstanceType[] {
  const priced = types.map((type) => ({ type, price: priceOf(type) }));
  goSort(priced, (a, b) => a.price < b.price);
  return priced.map(({ type }) => type);
}

/** The order in which claims launch their types, worked out once for claims that are alike; kept for all runs. */
export class LaunchOrders {
  readonly #wellKnown: ReadonlySet<string>;
  readonly #orders = new Map<string, readonly InstanceType[]>();
  readonly #prices = new Map<RequirementSet, Map<InstanceType, number>>();

  /** @param wellKnown keys that a new node may leave undefined */
  constructor(wellKnown: ReadonlySet<string>) {
    this.#wellKnown = wellKnown;
  }

  of({ template, variants }: Pick<OpenClaim, 'template' | 'variants'>, set: RequirementSet): readonly InstanceType[] {
    const key = `${template.name} ${set.id} ${variants.join()}`;
    let ordered = this.#orders.get(key);
    if (!ordered) {
      const prices = this.#pricesFor(set);
      ordered = cheapestFirst(template.catalogue.types(variants), (type) => this.#price(type, set, prices));
      this.#orders.set(key, ordered);
    }
    return ordered;
  }

  #pricesFor(set: RequirementSet): Map<InstanceType, number> {
    let prices = this.#prices.get(set);
    if (!prices) {
      prices = new Map();
      this.#prices.set(set, prices);
    }
    return prices;
  }

  #price(type: InstanceType, { requirements }: RequirementSet, known: Map<InstanceType, number>): number {
    let price = known.get(type);
    if (price === undefined) {
      price = cheapestPrice(type, requirements, this.#wellKnown);
      known.set(type, price);
    }
    return price;
  }
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
  maxItems = MAX_INSTANCE_TYPES,
): readonly InstanceType[] | string {
  const kept = ordered.length > maxItems ? ordered.slice(0, maxItems) : ordered;
  if (!strict || !requirements.hasMinValues()) return kept;
  const { error } = satisfiesMinValues(kept, requirements, countExcluded);
  return error === undefined ? kept : `validating minValues, ${error}`;
}
