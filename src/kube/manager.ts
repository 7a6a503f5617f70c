import { type Concurrency, Controller, type ControllerDeps, type ControllerSpec } from './controller.ts';

/** Something that runs until a signal aborts. */
export interface Runnable {
  /** @param late aborts what has not ended by then; at once unless told. */
  run(signal: AbortSignal, late?: AbortSignal): Promise<void>;
}

export interface ManagerDeps extends ControllerDeps {
  /** Milliseconds that are left to what was begun when the signal aborts; none unless told. */
  readonly graceMs?: number;
}

/** Controllers that share informers and live and end together. */
export class Manager {
  readonly #deps: ManagerDeps;
  readonly #runnables: Runnable[] = [];

  constructor(deps: ManagerDeps) {
    this.#deps = deps;
  }

  /** Adds a controller, with another concurrency than its own if told; call before `run`. */
  add(spec: ControllerSpec, concurrency?: Concurrency): Controller {
    const controller = new Controller(this.#deps, spec, concurrency);
    this.#runnables.push(controller);
    return controller;
  }

  /** Names of the controllers, in the order in which they were added. */
  get controllers(): readonly string[] {
    return this.#runnables.flatMap((runnable) => (runnable instanceof Controller ? [runnable.name] : []));
  }

  /** Adds anything else that has the same life. */
  addRunnable(runnable: Runnable): void {
    this.#runnables.push(runnable);
  }

  /** Starts the informers and everything added; resolves when all of it has ended after the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, informers, graceMs = 0 } = this.#deps;
    const late = new AbortController();
    let cancel = (): void => {};
    const stop = (): void => {
      const end = (): void => late.abort(signal.reason);
      if (graceMs > 0) cancel = clock.setTimeout(end, graceMs);
      else end();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const running = this.#runnables.map((runnable) => runnable.run(signal, late.signal));
    informers.start(signal);
    await Promise.all(running);
    cancel();
    await informers.stopped();
  }
}
