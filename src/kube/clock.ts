/**
 * Time, as everything in `src` and `kwok-provider` sees it. The real one is in `src/operator/clock.ts`; simulation and
 * tests hand in `VirtualClock`, which moves only when told, or when everything waits.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms`; the returned function cancels. */
  setTimeout(callback: () => void, ms: number): () => void;
}

/** A seedable source of randomness and ids. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
  /** `length` characters of the alphabet Kubernetes uses for generated names (bcdfghjklmnpqrstvwxz2456789). */
  suffix(length: number): string;
}
