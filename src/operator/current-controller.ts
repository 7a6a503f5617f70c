import { AsyncLocalStorage } from 'node:async_hooks';

/** Which controller the running code works for, however deep: for metrics of what all of them use. */
export class CurrentController {
  readonly #names = new AsyncLocalStorage<string>();

  /** Empty outside of any. */
  get name(): string {
    return this.#names.getStore() ?? '';
  }

  run<T>(name: string, work: () => T): T {
    return this.#names.run(name, work);
  }
}
