import type { Clock } from '../../kube/clock.ts';

interface Entry<V> {
  readonly value: V;
  /** Epoch milliseconds, or Infinity. */
  readonly until: number;
}

export interface TtlCacheOptions<V> {
  /** Milliseconds that an entry lives unless it is set with its own. */
  readonly ttlMs: number;
  /** Milliseconds between two looks for expired entries; they are told to `onEvicted` then. */
  readonly sweepMs: number;
  /** An entry has expired or was deleted. */
  readonly onEvicted?: (key: string, value: V) => void;
}

/** Values that hold for some time (aws-provider.md section 3). Expired ones are never answered. */
export class TtlCache<V> {
  readonly #clock: Clock;
  readonly #options: TtlCacheOptions<V>;
  readonly #entries = new Map<string, Entry<V>>();
  #sweeping = false;

  constructor(clock: Clock, options: TtlCacheOptions<V>) {
    this.#clock = clock;
    this.#options = options;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > this.#clock.now() ? entry.value : undefined;
  }

  has(key: string): boolean {
    return (this.#entries.get(key)?.until ?? 0) > this.#clock.now();
  }

  /** Epoch milliseconds when the entry expires. */
  until(key: string): number | undefined {
    return this.has(key) ? this.#entries.get(key)?.until : undefined;
  }

  set(key: string, value: V, ttlMs = this.#options.ttlMs): void {
    this.#entries.set(key, { value, until: this.#clock.now() + ttlMs });
    this.#sweepLater();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#options.onEvicted?.(key, entry.value);
  }

  /** Deletes without telling `onEvicted`. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets all without telling `onEvicted`. */
  flush(): void {
    this.#entries.clear();
  }

  /** Keys and values that have not expired. */
  *entries(): IterableIterator<[string, V]> {
    const now = this.#clock.now();
    for (const [key, entry] of this.#entries) if (entry.until > now) yield [key, entry.value];
  }

  /** A timer runs only while there is something to expire. */
  #sweepLater(): void {
    const { sweepMs } = this.#options;
    if (this.#sweeping) return;
    this.#sweeping = true;
    this.#clock.setTimeout(() => {
      this.#sweeping = false;
      this.#sweep();
      if (this.#entries.size > 0) this.#sweepLater();
    }, sweepMs);
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [key, entry] of [...this.#entries]) if (entry.until <= now) this.delete(key);
  }
}
