import type { Clock } from '../../kube/clock.ts';
import { TtlCache } from './ttl-cache.ts';

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;

/** Tells what is new since it was last said, so that a log says it once; after a day, once more. */
export class ChangeMonitor {
  readonly #seen: TtlCache<string>;

  constructor(clock: Clock) {
    this.#seen = new TtlCache(clock, { ttlMs: DAY_MS, sweepMs: SWEEP_MS });
  }

  /** Whether the value differs from that of the last time. @param value anything that JSON can hold. */
  hasChanged(key: string, value: unknown): boolean {
    const text = JSON.stringify(value);
    if (this.#seen.get(key) === text) return false;
    this.#seen.set(key, text);
    return true;
  }
}
