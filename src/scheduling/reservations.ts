import { distinctTypes } from './distinct-types.ts';
import { isReserved } from './instance-offerings.ts';
import type { Offering } from './instance-type.ts';
import type { PoolAndTypes } from './types.ts';

/** Reservation id → how often it can still be used; the least that any pool or type reports counts. */
export type ReservationCapacity = ReadonlyMap<string, number>;

/** @param label the key under which an offering names its reservation */
export function reservationCapacity(pools: readonly PoolAndTypes[], label: string): ReservationCapacity {
  const least = new Map<string, number>();
  for (const { offerings } of distinctTypes(pools)) {
    for (const offering of offerings) {
      if (!isReserved(offering)) continue;
      const id = offering.requirements.get(label).any();
      const capacity = offering.reservationCapacity ?? 0;
      least.set(id, Math.min(least.get(id) ?? capacity, capacity));
    }
  }
  return least;
}

/** Who holds which reservation, in one run (karpenter-core.md 4.9; upstream's reservationmanager.go). */
export class Reservations {
  readonly #label: string;
  readonly #capacity: Map<string, number>;
  readonly #held = new Map<string, Set<string>>();

  constructor(capacity: ReservationCapacity, label: string) {
    this.#label = label;
    this.#capacity = new Map(capacity);
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
}
