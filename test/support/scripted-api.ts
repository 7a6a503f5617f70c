import type { Client, ListOptions, ListResult, Resource, WatchEvent, WatchOptions } from '../../src/kube/client.ts';
import { ApiError, ConnectionError } from '../../src/kube/errors.ts';
import { keyOf } from '../../src/kube/object-key.ts';
import type { KubeObject } from '../../src/kube/objects.ts';

interface Recorded<T> {
  readonly version: number;
  readonly event: WatchEvent<T>;
}

const expired = (): ApiError => new ApiError({ code: 410, reason: 'Expired', message: 'too old resource version' });

/**
 * One resource with a history, for informers: versions, pages, watches, and every way in which a list or watch can go
 * wrong, on command.
 */
export class ScriptedApi<T extends KubeObject> implements Pick<Client, 'list' | 'watch'> {
  readonly calls: string[] = [];
  readonly #objects = new Map<string, T>();
  #history: Recorded<T>[] = [];
  #version = 0;
  #oldest = 0;
  #failures: Error[] = [];
  #lists: ListResult<T>[] = [];
  #wake = Promise.withResolvers<void>();
  /** Bumped to end or break every open watch. */
  #epoch = 0;
  #ending: Error | undefined;

  put(name: string, more: Partial<T> = {}, uid = `uid-${name}`): void {
    const known = this.#objects.get(name);
    const metadata = { name, uid, resourceVersion: String(++this.#version) };
    const object = { ...more, metadata } as unknown as T;
    this.#objects.set(name, object);
    this.#record({ type: known === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  remove(name: string): void {
    const known = this.#objects.get(name);
    if (known === undefined) return;
    this.#objects.delete(name);
    const metadata = { ...known.metadata, resourceVersion: String(++this.#version) };
    this.#record({ type: 'DELETED', object: { ...known, metadata } });
  }

  bookmark(): void {
    const metadata = { name: '', resourceVersion: String(++this.#version) };
    this.#record({ type: 'BOOKMARK', object: { metadata } as unknown as T });
  }

  /** Forgets history: older versions can be neither watched nor continued. */
  compact(): void {
    this.#oldest = this.#version;
    this.#history = [];
  }

  /** The next list or watch call fails with this. */
  failNext(...errors: Error[]): void {
    this.#failures.push(...errors);
  }

  /** The next lists are these. */
  answerNextLists(...lists: ListResult<T>[]): void {
    this.#lists.push(...lists);
  }

  /** Ends all open watches, normally or with an error. */
  endWatches(error?: Error): void {
    this.#epoch++;
    this.#ending = error;
    this.#signalAll();
  }

  async list<K extends KubeObject>(_: Resource<K>, options: ListOptions = {}): Promise<ListResult<K>> {
    this.calls.push(options.continue ? 'list more' : 'list');
    this.#failIfAsked();
    const answer = this.#lists.shift() as ListResult<K> | undefined;
    if (answer) return answer;
    const items = [...this.#objects.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) as unknown as K[];
    const [at = String(this.#version), start = '0'] = options.continue?.split('/') ?? [];
    if (Number(at) < this.#oldest) throw expired();
    const end = Number(start) + (options.limit ?? items.length);
    const page = items.slice(Number(start), end);
    return { items: page, resourceVersion: at, ...(end < items.length && { continue: `${at}/${end}` }) };
  }

  async *watch<K extends KubeObject>(
    _: Resource<K>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<K>> {
    this.calls.push(`watch ${options.resourceVersion}`);
    this.#failIfAsked();
    let version = Number(options.resourceVersion);
    if (version < this.#oldest) {
      yield { type: 'ERROR', object: expired().status };
      return;
    }
    const epoch = this.#epoch;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    while (!signal.aborted) {
      for (const recorded of this.#history) {
        if (recorded.version <= version) continue;
        version = recorded.version;
        yield recorded.event as unknown as WatchEvent<K>;
      }
      if (epoch !== this.#epoch) {
        if (this.#ending !== undefined) throw this.#ending;
        return;
      }
      await Promise.race([this.#wake.promise, aborted]);
    }
  }

  #failIfAsked(): void {
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
  }

  #record(event: WatchEvent<T>): void {
    this.#history.push({ version: this.#version, event });
    this.#signalAll();
  }

  #signalAll(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

export const connectionLost = (): ConnectionError => new ConnectionError('connection reset');
