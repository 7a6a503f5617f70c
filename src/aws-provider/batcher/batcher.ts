import type { Clock } from '../../kube/clock.ts';
import type { Metrics } from '../../metrics/metrics.ts';

/** What became of one of the requests that were sent as one. */
export type Outcome<Output> = { readonly output: Output } | { readonly error: unknown };

export interface BatcherOptions<Input, Output> {
  /** The label of its metrics. */
  readonly name: string;
  /** A batch is sent when so many milliseconds have brought no further request … */
  readonly idleMs: number;
  /** … or so many have passed since its first … */
  readonly maxMs: number;
  /** … or so many requests have come. */
  readonly maxItems: number;
  /** Only requests of one bucket are sent as one. */
  readonly bucketOf: (input: Input) => string;
  /** Answers each input in its place. */
  readonly send: (inputs: readonly Input[]) => Promise<readonly Outcome<Output>[]>;
}

export interface BatcherDeps {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

interface Waiting<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches that are under way at the same time at most. */
const MAX_WORKERS = 100;

/**
 * Gathers requests for a short while, and sends those that go together as one (aws-provider.md section 18). Who gives up
 * before the batch is sent is left out of it; afterwards the answer is waited for, as something may have been bought.
 */
export class Batcher<Input, Output> {
  readonly #deps: BatcherDeps;
  readonly #options: BatcherOptions<Input, Output>;
  #window: Set<Waiting<Input, Output>> = new Set();
  #arrived = 0;
  #openedAt = 0;
  #cancelIdle: (() => void) | undefined;
  #cancelMax: (() => void) | undefined;
  #working = 0;
  readonly #queue: (() => void)[] = [];

  constructor(deps: BatcherDeps, options: BatcherOptions<Input, Output>) {
    this.#deps = deps;
    this.#options = options;
  }

  add(input: Input, signal?: AbortSignal): Promise<Output> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const window = this.#window;
      const giveUp = () => {
        // A batch that was sent no longer looks at its window.
        if (window.delete(waiting)) reject(signal?.reason);
      };
      const settled = () => signal?.removeEventListener('abort', giveUp);
      const waiting: Waiting<Input, Output> = {
        input,
        resolve: (output) => {
          settled();
          resolve(output);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      window.add(waiting);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#arrive();
    });
  }

  #arrive(): void {
    const { clock } = this.#deps;
    const { idleMs, maxMs, maxItems } = this.#options;
    this.#arrived++;
    if (this.#arrived === 1) {
      this.#openedAt = clock.now();
      this.#cancelMax = clock.setTimeout(() => this.#close(), maxMs);
    }
    this.#cancelIdle?.();
    if (this.#arrived >= maxItems) this.#close();
    else this.#cancelIdle = clock.setTimeout(() => this.#close(), idleMs);
  }

  #close(): void {
    const { clock, metrics } = this.#deps;
    const { name, bucketOf } = this.#options;
    this.#cancelIdle?.();
    this.#cancelMax?.();
    const requests = [...this.#window];
    this.#window.clear();
    this.#window = new Set();
    this.#arrived = 0;
    metrics.observe('cloudprovider_batcher_batch_time_seconds', (clock.now() - this.#openedAt) / 1000, {
      batcher: name,
    });
    for (const batch of Map.groupBy(requests, ({ input }) => bucketOf(input)).values()) this.#enqueue(batch);
  }

  #enqueue(batch: readonly Waiting<Input, Output>[]): void {
    this.#queue.push(() => void this.#run(batch));
    this.#next();
  }

  #next(): void {
    if (this.#working >= MAX_WORKERS) return;
    const work = this.#queue.shift();
    if (!work) return;
    this.#working++;
    work();
  }

  async #run(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    const { name } = this.#options;
    this.#deps.metrics.observe('cloudprovider_batcher_batch_size', batch.length, { batcher: name });
    const outcomes = await this.#send(batch);
    batch.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index] ?? { error: new Error('error making call') };
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.output);
    });
    this.#working--;
    this.#next();
  }

  async #send(batch: readonly Waiting<Input, Output>[]): Promise<readonly Outcome<Output>[]> {
    try {
      return await this.#options.send(batch.map(({ input }) => input));
    } catch (error) {
      return batch.map(() => ({ error }));
    }
  }
}
