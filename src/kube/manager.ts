import { type Concurrency, Controller, type ControllerDeps, type ControllerSpec } from './controller.ts';

/** Something that runs until a signal aborts. */
export interface Runnable {
  run(signal: AbortSignal): Promise<void>;
}

/** Controllers that share informers and live and end together. */
export class Manager {
  readonly #deps: ControllerDeps;
  readonly #runnables: Runnable[] = [];

  constructor(deps: ControllerDeps) {
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
    const { informers } = this.#deps;
    const running = this.#runnables.map((runnable) => runnable.run(signal));
    informers.start(signal);
    await Promise.all(running);
    await informers.stopped();
  }
}
