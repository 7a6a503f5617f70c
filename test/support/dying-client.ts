import type { Client } from '../../src/kube/client.ts';

const never = <T>(): Promise<T> => new Promise(() => {});

/**
 * A client whose process is killed right after one of its writes: that write is done, but neither its answer nor
 * anything after it ever arrives.
 */
export class DyingClient implements Client {
  readonly #client: Client;
  readonly #onDeath: () => void;
  #left: number;

  /** @param writes how many writes are done in all. */
  constructor(client: Client, writes: number, onDeath: () => void) {
    this.#client = client;
    this.#left = writes;
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#left <= 0;
  }

  get: Client['get'] = (...args) => this.#read(() => this.#client.get(...args));
  list: Client['list'] = (...args) => this.#read(() => this.#client.list(...args));
  create: Client['create'] = (...args) => this.#write(() => this.#client.create(...args));
  update: Client['update'] = (...args) => this.#write(() => this.#client.update(...args));
  patch: Client['patch'] = (...args) => this.#write(() => this.#client.patch(...args));
  delete: Client['delete'] = (...args) => this.#write(() => this.#client.delete(...args));
  watch: Client['watch'] = (...args) => this.#client.watch(...args);

  #read<T>(call: () => Promise<T>): Promise<T> {
    return this.isDead ? never() : call();
  }

  async #write<T>(call: () => Promise<T>): Promise<T> {
    if (this.isDead) return await never();
    this.#left--;
    const answer = await call();
    if (!this.isDead) return answer;
    this.#onDeath();
    return await never();
  }
}
