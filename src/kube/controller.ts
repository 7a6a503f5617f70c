import type { Resource } from './client.ts';
import type { Clock } from './clock.ts';
import type { Change, InformerOptions } from './informer.ts';
import type { Informers } from './informers.ts';
import { keyOf } from './object-key.ts';
import type { KubeObject } from './objects.ts';
import { isTerminalError } from './terminal-error.ts';
import { type QueueObserver, type RateLimit, WorkQueue } from './work-queue.ts';

/** What a reconciliation wants next; nothing means: wait for the next change. */
export interface ReconcileResult {
  /** Milliseconds after which the key is to be reconciled again even if nothing changes. */
  readonly requeueAfter?: number;
  /** Again after the back-off of a failure, without it being one. */
  readonly requeue?: boolean;
}

/** A resource whose changes concern a controller, and which keys each of them touches. */
export interface Watch {
  subscribe(informers: Informers, add: (key: string) => void): { readonly synced: Promise<void> };
}

/**
 * Watches a resource.
 *
 * @param toKeys the keys a change concerns; by default the changed object's own.
 */
export function watch<T extends KubeObject>(
  resource: Resource<T>,
  toKeys: (change: Change<T>) => Iterable<string> = ({ object }) => [keyOf(object)],
  options?: InformerOptions,
): Watch {
  return {
    subscribe(informers, add) {
      const informer = informers.for(resource, options);
      informer.onChange((change) => {
        for (const key of toKeys(change)) add(key);
      });
      return informer;
    },
  };
}

/**
 * A resource that a controller reads without following it. It begins when the cache holds the first list: nothing must
 * look as if it were not there just because it is not known yet.
 */
export const reads = <T extends KubeObject>(resource: Resource<T>): Watch => ({
  subscribe: (informers) => informers.for(resource),
});

export interface Concurrency {
  /** Keys worked on at the same time; 1 by default. */
  readonly workers?: number;
  readonly rateLimit?: RateLimit;
}

export interface ControllerSpec extends Concurrency {
  /** As in logs and metrics, for example `nodeclaim.lifecycle`. */
  readonly name: string;
  readonly watches: readonly Watch[];
  /** Keys to reconcile once at the start, for controllers that follow no object. */
  readonly initialKeys?: readonly string[];
  /**
   * Brings the world nearer to what the object of this key wants. Rejecting means trying again later, but for a
   * `TerminalError`, which waits for the next change.
   *
   * @param signal aborts when there is no more time to end what was begun.
   * @param stopping aborts before that, when nothing new is to be begun: for what waits without having begun.
   */
  reconcile(
    key: string,
    signal: AbortSignal,
    stopping: AbortSignal,
  ): Promise<ReconcileResult | undefined> | Promise<void>;
}

/** The end of one reconciliation, for logs and metrics. `error` is what it rejected with. */
export interface Reconciled {
  readonly controller: string;
  readonly key: string;
  readonly durationMs: number;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  readonly error?: unknown;
}

export interface ControllerDeps {
  readonly clock: Clock;
  readonly informers: Informers;
  readonly onReconciled?: (reconciled: Reconciled) => void;
  /** Does the work of one reconciliation: for what is to be known all the way down from it. */
  readonly around?: <T>(controller: string, key: string, work: () => T) => T;
  /** What is to be told of a controller's queue. */
  readonly observerOf?: (controller: string) => QueueObserver;
}

/** Runs one reconciler over a work queue fed by watches. */
export class Controller {
  readonly #deps: ControllerDeps;
  readonly #spec: ControllerSpec;
  readonly #workers: number;
  readonly #queue: WorkQueue;

  /** @param concurrency instead of the spec's own. */
  constructor(deps: ControllerDeps, spec: ControllerSpec, concurrency: Concurrency = spec) {
    this.#deps = deps;
    this.#spec = spec;
    this.#workers = concurrency.workers ?? 1;
    const observer = deps.observerOf?.(spec.name);
    this.#queue = new WorkQueue({ clock: deps.clock, ...(observer ? { observer } : {}) }, concurrency.rateLimit);
  }

  get name(): string {
    return this.#spec.name;
  }

  /** How many keys it works on at the same time at most. */
  get workers(): number {
    return this.#workers;
  }

  /** For triggers that are not watches. */
  get queue(): Pick<WorkQueue, 'add' | 'addAfter' | 'idle' | 'length' | 'inWork'> {
    return this.#queue;
  }

  /**
   * Subscribes, waits for the caches and works until the signal aborts. Resolves when the last reconciliation has ended;
   * never rejects.
   *
   * @param late aborts reconciliations that have not ended by then; at once unless told.
   */
  async run(signal: AbortSignal, late: AbortSignal = signal): Promise<void> {
    const queue = this.#queue;
    signal.addEventListener('abort', () => queue.shutDown(), { once: true });
    if (signal.aborted) return;
    const { watches, initialKeys = [] } = this.#spec;
    const sources = watches.map((source) => source.subscribe(this.#deps.informers, (key) => queue.add(key)));
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([stopped, Promise.all(sources.map(({ synced }) => synced))]);
    for (const key of initialKeys) queue.add(key);
    await Promise.all(Array.from({ length: this.#workers }, () => this.#work(signal, late)));
  }

  async #work(signal: AbortSignal, late: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#queue.take();
      if (key === undefined) return;
      await this.#reconcile(key, signal, late);
      this.#queue.done(key);
    }
  }

  async #reconcile(key: string, signal: AbortSignal, late: AbortSignal): Promise<void> {
    const { around = plainly } = this.#deps;
    const started = this.#deps.clock.now();
    const report = (result: Reconciled['result'], error?: unknown): void => {
      const durationMs = this.#deps.clock.now() - started;
      this.#deps.onReconciled?.({ controller: this.#spec.name, key, durationMs, result, error });
    };
    try {
      const outcome = (await around(this.#spec.name, key, () => this.#spec.reconcile(key, late, signal))) ?? {};
      if (outcome.requeueAfter !== undefined) {
        this.#queue.forget(key);
        this.#queue.addAfter(key, outcome.requeueAfter);
        report('requeue_after');
      } else if (outcome.requeue) {
        this.#queue.addRateLimited(key);
        report('requeue');
      } else {
        this.#queue.forget(key);
        report('success');
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isTerminalError(error)) this.#queue.addRateLimited(key);
      report('error', error);
    }
  }
}

const plainly = <T>(_controller: string, _key: string, work: () => T): T => work();
