import { Controller, type ControllerDeps, type ControllerSpec } from './controller.ts';

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

  /** Adds a controller; call before `run`. */
  add(spec: ControllerSpec): Controller {
    const controller = new Controller(this.#deps, spec);
    this.#runnables.push(controller);
    return controller;
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
