import type { Clock } from './clock.ts';

/** A token bucket: `burst` requests at once, `qps` per second in the long run. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  /** May be negative: tokens already promised to waiting callers. */
  #tokens: number;
  #filledAt: number;

  constructor(deps: { readonly clock: Clock }, limit: { readonly qps: number; readonly burst: number }) {
    this.#clock = deps.clock;
    this.#qps = limit.qps;
    this.#burst = limit.burst;
    this.#tokens = limit.burst;
    this.#filledAt = deps.clock.now();
  }

  /** Resolves when the caller may go on; callers go in order. */
  async acquire(signal?: AbortSignal): Promise<void> {
    const wait = this.reserve();
    if (wait > 0) await this.#clock.sleep(wait, signal);
  }

  /** Takes a place in the line; answers how many milliseconds it is from now, zero if at once. */
  reserve(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#qps);
    this.#filledAt = now;
    this.#tokens--;
    return this.#tokens < 0 ? (-this.#tokens / this.#qps) * 1000 : 0;
  }
}

const DEFAULT_QPS = 5;
const DEFAULT_BURST = 10;

/** As client-go reads these two: 0 stands for a default, and a negative rate for no limit. */
export function clientLimiter(
  deps: { readonly clock: Clock },
  { qps, burst }: { readonly qps: number; readonly burst: number },
): RateLimiter | undefined {
  if (qps < 0) return undefined;
  return new RateLimiter(deps, { qps: qps || DEFAULT_QPS, burst: burst || DEFAULT_BURST });
}
