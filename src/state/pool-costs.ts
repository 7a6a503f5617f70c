import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';

/** What the nodes of each pool cost per hour, by the prices that were last heard of (karpenter-core.md 8.13). */
export class PoolCosts {
  /** Pool → `type zone capacity-type` → price. */
  readonly #prices = new Map<string, Map<string, number>>();

  /** A node goes on costing what it did when its offering is no longer listed. */
  setPrices(pool: string, types: readonly InstanceType[]): void {
    const prices = this.#prices.get(pool) ?? new Map<string, number>();
    this.#prices.set(pool, prices);
    for (const { name, offerings } of types) {
      for (const { requirements, price } of offerings) {
        const [zone, capacityType] = [requirements.get(LABEL_ZONE).any(), requirements.get(LABEL_CAPACITY_TYPE).any()];
        prices.set(keyOf(name, zone, capacityType), price);
      }
    }
  }

  forget(pool: string): void {
    this.#prices.delete(pool);
  }

  /** The price of the claim's node; undefined while it is not launched, or was bought at no price that is known. */
  priceOf({ metadata: { labels = {} } }: NodeClaim): number | undefined {
    const { [LABEL_INSTANCE_TYPE]: type, [LABEL_ZONE]: zone, [LABEL_CAPACITY_TYPE]: capacityType } = labels;
    if (type === undefined || zone === undefined || capacityType === undefined) return undefined;
    return this.#prices.get(labels[LABEL_NODEPOOL] ?? '')?.get(keyOf(type, zone, capacityType));
  }
}

function keyOf(type: string, zone: string, capacityType: string): string {
  return `${type} ${zone} ${capacityType}`;
}
