import { distinctTypes } from './distinct-types.ts';
import { isReserved } from './instance-offerings.ts';
import type { PoolAndTypes } from './types.ts';

/**
 * Domains by the price of their cheapest available offering, then by name. Reservations don't count: they run out, and a pod
 * that was sent to one has to wait for it.
 */
export class DomainRanks {
  readonly #pools: readonly PoolAndTypes[];
  readonly #byKey = new Map<string, ReadonlyMap<string, number>>();

  constructor(pools: readonly PoolAndTypes[]) {
    this.#pools = pools;
  }

  of(key: string): ReadonlyMap<string, number> {
    let ranks = this.#byKey.get(key);
    if (!ranks) {
      const sorted = [...this.#cheapest(key)].sort(([a, p], [b, q]) => p - q || (a < b ? -1 : 1));
      ranks = new Map(sorted.map(([domain], rank) => [domain, rank]));
      this.#byKey.set(key, ranks);
    }
    return ranks;
  }

  #cheapest(key: string): Map<string, number> {
    const prices = new Map<string, number>();
    for (const { requirements, offerings } of distinctTypes(this.#pools)) {
      for (const offering of offerings) {
        const { available, price, requirements: own } = offering;
        const domains = own.find(key) ?? requirements.find(key);
        if (!domains || !available || isReserved(offering)) continue;
        for (const domain of domains.values) {
          prices.set(domain, Math.min(prices.get(domain) ?? Number.POSITIVE_INFINITY, price));
        }
      }
    }
    return prices;
  }
}
