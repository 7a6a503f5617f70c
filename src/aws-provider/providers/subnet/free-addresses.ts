import type { Clock } from '../../../kube/clock.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';

const MINUTE_MS = 60_000;

/**
 * How many addresses subnets have left: what EC2 said last, less what launches since then are expected to need
 * (aws-provider.md section 11).
 */
export class FreeAddresses {
  readonly #described: TtlCache<number>;
  /** Of subnets that something was launched into since they were described. */
  readonly #left = new Map<string, number>();

  /** @param refreshMs how often subnets are described. */
  constructor(clock: Clock, refreshMs: number) {
    const ttlMs = Math.max(5 * MINUTE_MS, refreshMs + 4 * MINUTE_MS);
    this.#described = new TtlCache(clock, { ttlMs, sweepMs: MINUTE_MS });
  }

  /** EC2 has said how many there are. */
  set(subnetID: string, count: number): void {
    this.#described.set(subnetID, count);
    this.#left.delete(subnetID);
  }

  /** What EC2 said last, if that is not too long ago. */
  described(subnetID: string): number | undefined {
    return this.#described.get(subnetID);
  }

  left(subnetID: string): number {
    return this.#left.get(subnetID) ?? this.described(subnetID) ?? 0;
  }

  take(subnetID: string, count: number): void {
    this.#left.set(subnetID, this.left(subnetID) - count);
  }

  /** Of what was taken before; nothing when it has been described since. */
  giveBack(subnetID: string, count: number): void {
    const left = this.#left.get(subnetID);
    if (left !== undefined) this.#left.set(subnetID, left + count);
  }
}
