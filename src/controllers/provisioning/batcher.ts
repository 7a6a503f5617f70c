import type { Clock } from '../../kube/clock.ts';

export interface BatcherOptions {
  /** A window ends when no new trigger has come for this long. */
  readonly idleMs: number;
  /** A window never lasts longer. */
  readonly maxMs: number;
}

/** Gathers triggers that come close together, so that one pass serves them all (karpenter-core.md 3.2). */
export class Batcher {
  readonly #clock: Clock;
  readonly #options: BatcherOptions;
  /** Triggers of the present window: repeating one does not make it longer. */
  readonly #seen = new Set<string>();
  #armed = false;
  #onTrigger: (() => void) | undefined;

  constructor(deps: { readonly clock: Clock }, options: BatcherOptions) {
    this.#clock = deps.clock;
    this.#options = options;
  }

  trigger(id: string): void {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (this.#onTrigger) this.#onTrigger();
    else this.#armed = true;
  }

  /** Resolves at the end of the next window; rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      let cancelIdle = (): void => {};
      let cancelMax: (() => void) | undefined;
      const end = (): void => {
        cancelIdle();
        cancelMax?.();
        signal.removeEventListener('abort', abort);
        this.#onTrigger = undefined;
        this.#armed = false;
        this.#seen.clear();
      };
      const finish = (): void => {
        end();
        resolve();
      };
      const abort = (): void => {
        end();
        reject(signal.reason);
      };
      this.#onTrigger = () => {
        cancelMax ??= this.#clock.setTimeout(finish, this.#options.maxMs);
        cancelIdle();
        cancelIdle = this.#clock.setTimeout(finish, this.#options.idleMs);
      };
      signal.addEventListener('abort', abort, { once: true });
      if (this.#armed) this.#onTrigger();
    });
  }
}
