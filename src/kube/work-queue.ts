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

/** Is told what becomes of keys, for metrics. Times are in milliseconds. */
export interface QueueObserver {
  /** A key has come in that did not wait already. */
  added(): void;
  /** A worker has got a key. */
  taken(waitedMs: number): void;
  /** The worker is through with it. */
  worked(workedMs: number): void;
  /** A key is to be tried again after a back-off. */
  retried(): void;
}

export interface WorkQueueDeps {
  readonly clock: Clock;
  readonly observer?: QueueObserver;
}

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
  readonly #observer: QueueObserver | undefined;
  readonly #limit: Required<RateLimit>;
  readonly #bucket: RateLimiter;
  /** Keys to hand out, in order, by when they came. */
  readonly #ready = new Map<string, number>();
  /** Keys that workers have, by since when. */
  readonly #processing = new Map<string, number>();
  /** Added again while being processed, by when. */
  readonly #again = new Map<string, number>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #waiters: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(deps: WorkQueueDeps, limit: RateLimit = {}) {
    this.#clock = deps.clock;
    this.#observer = deps.observer;
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
    if (this.#ready.has(key) || this.#again.has(key)) return;
    this.#observer?.added();
    if (this.#processing.has(key)) this.#again.set(key, this.#clock.now());
    else this.#offer(key, this.#clock.now());
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
    this.#observer?.retried();
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
    for (const [key, since] of this.#ready) {
      this.#ready.delete(key);
      this.#begin(key, since);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The worker is through with the key. */
  done(key: string): void {
    const now = this.#clock.now();
    this.#observer?.worked(now - (this.#processing.get(key) ?? now));
    this.#processing.delete(key);
    const again = this.#again.get(key);
    if (again === undefined || this.#closed) return;
    this.#again.delete(key);
    this.#offer(key, again);
  }

  /** Since when each key has been worked on that is now, in epoch milliseconds. */
  inWork(): readonly number[] {
    return [...this.#processing.values()];
  }

  #offer(key: string, since: number): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#ready.set(key, since);
    else {
      this.#begin(key, since);
      waiter(key);
    }
  }

  #begin(key: string, since: number): void {
    const now = this.#clock.now();
    this.#processing.set(key, now);
    this.#observer?.taken(now - since);
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
