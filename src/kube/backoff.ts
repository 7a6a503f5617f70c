import type { Random } from './clock.ts';

/** Milliseconds. */
export interface BackoffOptions {
  readonly base: number;
  readonly max: number;
  /** Up to this share is added at random, so that many clients do not come back at once. */
  readonly jitter: number;
}

/** Delays that double from one failure to the next, until a success resets them. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Random;
  #failures = 0;

  constructor(deps: { readonly random: Random }, options: BackoffOptions) {
    this.#random = deps.random;
    this.#options = options;
  }

  /** Milliseconds to wait after one more failure. */
  next(): number {
    const { base, max, jitter } = this.#options;
    const delay = Math.min(max, base * 2 ** this.#failures);
    this.#failures++;
    return delay * (1 + jitter * this.#random.next());
  }

  reset(): void {
    this.#failures = 0;
  }
}
