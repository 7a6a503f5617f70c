import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { InstanceType, Offering } from '../instance-type.ts';
import { toResources } from '../resource-list.ts';
import { adjustedPrice } from './adjusted-price.ts';

/** A change in force, and the weight of the last overlay that wanted to make it. */
interface Update<T> {
  readonly value: T;
  readonly lastWeight: number;
}

interface TypeUpdate {
  /** By the printed requirements of the offering. */
  readonly prices: Map<string, Update<string>>;
  /** Thousandths of each resource. */
  readonly capacity: Map<string, Update<number>>;
}

export const weightOf = ({ spec }: NodeOverlay): number => spec.weight ?? 0;

const priceOf = ({ spec }: NodeOverlay): string | undefined => spec.price ?? spec.priceAdjustment;

/**
 * What overlays change about the instance types of some pools. Overlays are to be added in order of falling weight: the
 * first to change something wins, and a second one of the same weight is in conflict with it.
 */
export class OverlayUpdates {
  readonly #pools: ReadonlyMap<string, Map<string, TypeUpdate>>;

  /** @param pools the names of the pools that are looked at. */
  constructor(pools: Iterable<string>) {
    this.#pools = new Map([...pools].map((name) => [name, new Map()]));
  }

  /** Whether overlays have been worked out for the pool at all. */
  has(pool: string): boolean {
    return this.#pools.has(pool);
  }

  /** Whether another overlay of the same weight changes the same thing (karpenter-core.md 4.12.4-5). */
  conflicts(pool: string, type: InstanceType, offerings: readonly Offering[], overlay: NodeOverlay): boolean {
    const update = this.#pools.get(pool)?.get(type.name);
    if (!update) return false;
    const weight = weightOf(overlay);
    const taken = (changes: ReadonlyMap<string, Update<unknown>>, key: string): boolean =>
      changes.get(key)?.lastWeight === weight;
    return (
      (priceOf(overlay) !== undefined && offerings.some((o) => taken(update.prices, String(o.requirements)))) ||
      Object.keys(overlay.spec.capacity ?? {}).some((name) => taken(update.capacity, name))
    );
  }

  /** Notes what the overlay changes, as far as none before it has. */
  add(pool: string, type: InstanceType, offerings: readonly Offering[], overlay: NodeOverlay): void {
    const types = this.#pools.get(pool);
    if (!types) return;
    const update = types.get(type.name) ?? { prices: new Map(), capacity: new Map() };
    const lastWeight = weightOf(overlay);
    const price = priceOf(overlay);
    for (const { requirements } of price === undefined ? [] : offerings) {
      const key = String(requirements);
      update.prices.set(key, { value: update.prices.get(key)?.value ?? price ?? '', lastWeight });
    }
    for (const [name, value] of Object.entries(toResources(overlay.spec.capacity))) {
      update.capacity.set(name, { value: update.capacity.get(name)?.value ?? value, lastWeight });
    }
    if (update.prices.size + update.capacity.size > 0) types.set(type.name, update);
  }

  /** The pool's types with the changes made. What is not changed stays the same object, the list included. */
  apply(pool: string, types: readonly InstanceType[]): readonly InstanceType[] {
    const updates = this.#pools.get(pool);
    if (!updates || updates.size === 0) return types;
    return types.map((type) => {
      const update = updates.get(type.name);
      return update ? changed(type, update) : type;
    });
  }
}

function changed(type: InstanceType, { prices, capacity }: TypeUpdate): InstanceType {
  const offerings = type.offerings.map((offering) => {
    const change = prices.get(String(offering.requirements))?.value;
    if (change === undefined) return offering;
    return { ...offering, price: adjustedPrice(offering.price, change), priceOverlaid: true };
  });
  if (capacity.size === 0) return { ...type, offerings };
  const added = Object.fromEntries([...capacity].map(([name, { value }]) => [name, value]));
  return { ...type, offerings, capacity: { ...type.capacity, ...added }, capacityOverlaid: true };
}
