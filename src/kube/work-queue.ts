import type { Clock } from './clock.ts';
import { RateLimiter } from './rate-limiter.ts';

/** When a key that failed comes back: after the longer of two delays. */
export interface RateLimit {
  /** Milliseconds: the first delay after a failure, doubled with each further one up to `max`. */
  readonly base?: number;
  readonly max?: number;
  /** Holds back the retries of all keys together. */
  readonly bucket?: { readonly qps: number; readonly burst: number };
}

/** controller-runtime's default. */
const DEFAULT_LIMIT: Required<RateLimit> = { base: 5, max: 1_000_000, bucket: { qps: 10, burst: 100 } };

interface Delayed {
  readonly due: number;
  readonly cancel: () => void;
}

/**
 * client-go's rate-limited work queue: a key waits at most once; while a worker has it, adding it again only notes that it
 * has to be done again; so no key is ever with two workers.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #limit: Required<RateLimit>;
  readonly #bucket: RateLimiter;
  /** Keys to hand out, in order. */
  readonly #ready = new Set<string>();
  readonly #processing = new Set<string>();
  /** Added again while being processed. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #waiters: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(deps: { readonly clock: Clock }, limit: RateLimit = {}) {
    this.#clock = deps.clock;
    this.#limit = { ...DEFAULT_LIMIT, ...limit };
    this.#bucket = new RateLimiter(deps, this.#limit.bucket);
  }

  /** Keys that could be handed out now. */
  get length(): number {
    return this.#ready.size;
  }

  /** Neither ready nor in work nor put off. */
  get idle(): boolean {
    return this.#ready.size === 0 && this.#processing.size === 0 && this.#delayed.size === 0;
  }

  add(key: string): void {
    if (this.#closed) return;
    if (this.#processing.has(key)) {
      this.#again.add(key);
      return;
    }
    const waiter = this.#ready.has(key) ? undefined : this.#waiters.shift();
    if (waiter === undefined) this.#ready.add(key);
    else {
      this.#processing.add(key);
      waiter(key);
    }
  }

  /** Adds after `ms`; of several delays for one key the shortest holds. */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const due = this.#clock.now() + ms;
    const known = this.#delayed.get(key);
    if (known !== undefined) {
      if (known.due <= due) return;
      known.cancel();
    }
    const cancel = this.#clock.setTimeout(() => {
      this.#delayed.delete(key);
      this.add(key);
    }, ms);
    this.#delayed.set(key, { due, cancel });
  }

  /** Adds after a delay that doubles each time, until `forget`. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { base, max } = this.#limit;
    this.addAfter(key, Math.max(Math.min(max, base * 2 ** failures), this.#bucket.reserve()));
  }

  /** The key did well: its next failure starts from the shortest delay again. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, as soon as there is one; undefined when the queue has been shut down. Owes a `done`. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    for (const key of this.#ready) {
      this.#ready.delete(key);
      this.#processing.add(key);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The worker is through with the key. */
  done(key: string): void {
    this.#processing.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Hands out nothing more, and drops what waits. */
  shutDown(): void {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#ready.clear();
    for (const waiter of this.#waiters.splice(0)) waiter(undefined);
  }
}
