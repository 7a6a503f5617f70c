/** Capacity that has been paid for, and who of the new nodes counts on it (karpenter-core.md 4.9). */
import type { Sold } from './instance-types.ts';
import type { Pool } from './pool.ts';

export class Reservations {
  readonly #label: string;
  readonly #left = new Map<string, number>();
  /** Hostname → ids. */
  readonly #held = new Map<string, ReadonlySet<string>>();

  constructor(pools: readonly Pool[], label: string) {
    this.#label = label;
    for (const sold of pools.flatMap(({ types }) => types).flatMap(({ offerings }) => offerings)) {
      if (sold.capacityType !== 'reserved') continue;
      const capacity = sold.offering.reservationCapacity ?? 0;
      this.#left.set(this.id(sold), Math.min(this.#left.get(this.id(sold)) ?? capacity, capacity));
    }
  }

  id({ wishes }: Sold): string {
    return [...(wishes.get(this.#label)?.values ?? [])].sort()[0] ?? '';
  }

  canHold(hostname: string, sold: Sold): boolean {
    const id = this.id(sold);
    return this.#held.get(hostname)?.has(id) || (this.#left.get(id) ?? 0) > 0;
  }

  /** The node counts on these and no others. */
  hold(hostname: string, reserved: readonly Sold[]): void {
    for (const id of this.#held.get(hostname) ?? []) this.#left.set(id, (this.#left.get(id) ?? 0) + 1);
    const ids = new Set(reserved.map((sold) => this.id(sold)));
    for (const id of ids) this.#left.set(id, (this.#left.get(id) ?? 0) - 1);
    this.#held.set(hostname, ids);
  }
}
