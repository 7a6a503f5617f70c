import { isReserved } from './instance-offerings.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import type { PoolAndTypes } from './types.ts';

/** How often each reservation can still be used, and who holds it (karpenter-core.md 4.9; reservationmanager.go). */
export class Reservations {
  readonly #label: string;
  readonly #capacity = new Map<string, number>();
  readonly #held = new Map<string, Set<string>>();

  /** @param label the key under which an offering names its reservation */
  constructor(pools: readonly PoolAndTypes[], label: string) {
    this.#label = label;
    for (const { instanceTypes } of pools) for (const type of instanceTypes) this.#add(type);
  }

  id(offering: Offering): string {
    return offering.requirements.get(this.#label).any();
  }

  canReserve(hostname: string, offering: Offering): boolean {
    const id = this.id(offering);
    return this.#held.get(hostname)?.has(id) || (this.#capacity.get(id) ?? 0) > 0;
  }

  /** Holds exactly these for the node: new ones are taken, others given back. */
  hold(hostname: string, offerings: readonly Offering[]): void {
    const ids = new Set(offerings.map((offering) => this.id(offering)));
    const before = this.#held.get(hostname) ?? new Set();
    for (const id of ids) if (!before.has(id)) this.#change(id, -1);
    for (const id of before) if (!ids.has(id)) this.#change(id, 1);
    this.#held.set(hostname, ids);
  }

  #change(id: string, by: number): void {
    this.#capacity.set(id, (this.#capacity.get(id) ?? 0) + by);
  }

  /** The least that any pool or type reports counts. */
  #add(type: InstanceType): void {
    for (const offering of type.offerings) {
      if (!isReserved(offering)) continue;
      const id = this.id(offering);
      const capacity = offering.reservationCapacity ?? 0;
      this.#capacity.set(id, Math.min(this.#capacity.get(id) ?? capacity, capacity));
    }
  }
}
