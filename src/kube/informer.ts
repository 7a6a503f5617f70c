import { Backoff } from './backoff.ts';
import type { Client, Resource, WatchEvent } from './client.ts';
import type { Clock, Random } from './clock.ts';
import { ApiError, isExpired } from './errors.ts';
import { keyOf } from './object-key.ts';
import type { KubeObject } from './objects.ts';
import { isOlderVersion } from './resource-version.ts';
import { type Reader, Store } from './store.ts';

/** What happened to an object. `object` is the newest known state, for a deletion the last one. */
export type Change<T> =
  | { readonly type: 'Added'; readonly object: T; readonly old?: undefined }
  | { readonly type: 'Updated'; readonly object: T; readonly old: T }
  | { readonly type: 'Deleted'; readonly object: T; readonly old?: undefined };

export type ChangeHandler<T> = (change: Change<T>) => void;

export interface InformerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every failed list and broken watch; the informer itself goes on. */
  readonly onError?: (error: unknown, resource: Resource) => void;
}

export interface InformerOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Milliseconds after which every object is reported as updated again; absent means never. */
  readonly resync?: number;
}

const PAGE_SIZE = 500;
const BACKOFF = { base: 200, max: 30_000, jitter: 1 };
/** A watch that ended sooner than this, with nothing delivered, counts as a failure. */
const SHORT_WATCH = 1000;
/** Servers end a watch after this many seconds, spread so that not all clients come back together. */
const WATCH_SECONDS = { least: 300, spread: 300 };
/** So many lists in a row that are older than what is known are no slip: the API has been restored from a backup. */
const OLDER_LISTS = 5;

/**
 * Keeps a store equal to what the API has, by listing and then watching from where the list was taken. A watch that ends
 * or breaks goes on from the last version it saw; when the API no longer has that version, everything is listed again and
 * the difference is reported. So no change is ever missed, though several may arrive as one. A list that is older than what
 * has been seen is asked for again: taken for true it would undo what happened since, and nodes would be bought twice.
 */
export class Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly #deps: InformerDeps;
  readonly #options: InformerOptions;
  readonly #store = new Store<T>();
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #backoff: Backoff;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  /** The version of the last list or event. */
  #newest: string | undefined;
  #olderLists = 0;

  constructor(deps: InformerDeps, resource: Resource<T>, options: InformerOptions = {}) {
    this.#deps = deps;
    this.resource = resource;
    this.#options = options;
    this.#backoff = new Backoff(deps, BACKOFF);
  }

  /** The cache. Handlers run after it has been brought up to date. */
  get store(): Reader<T> {
    return this.#store;
  }

  /** Resolves when the first list is in the store and every handler has been told. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** See `Store.addIndex`. */
  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void {
    this.#store.addIndex(name, valuesOf);
  }

  /**
   * Calls `handler` for every change from now on, and for every object already there. Handlers are called one after the
   * other; what they throw goes to `onError`.
   *
   * @returns takes the handler away again.
   */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#call(handler, { type: 'Added', object });
    return () => this.#handlers.delete(handler);
  }

  /** Runs until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stopResync = this.#startResync();
    let version: string | undefined;
    while (!signal.aborted) {
      try {
        version ??= await this.#list(signal);
        version = await this.#watch(version, signal);
      } catch (error) {
        if (signal.aborted) break;
        // An answer means the version or the request itself was refused; no answer says nothing against resuming.
        if (error instanceof ApiError) version = undefined;
        this.#deps.onError?.(error, this.resource);
        await this.#pause(signal);
      }
    }
    stopResync();
  }

  async #pause(signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.clock.sleep(this.#backoff.next(), signal);
    } catch {
      // Only an abort ends a sleep early, and the loop sees that itself.
    }
  }

  /** Lists everything, reports differences, and returns the version of the list. */
  async #list(signal: AbortSignal): Promise<string> {
    const { items, resourceVersion } = await this.#listPages(signal);
    this.#refuseOlder(resourceVersion);
    const gone = new Set(this.#store.keys());
    for (const object of items) {
      gone.delete(keyOf(object));
      this.#put(object, false);
    }
    for (const key of gone) this.#remove(key);
    if (!this.#hasSynced) {
      this.#hasSynced = true;
      this.#synced.resolve();
    }
    return resourceVersion;
  }

  /** @throws unless the version is one to go on from. */
  #refuseOlder(version: string): void {
    if (this.#newest !== undefined && isOlderVersion(version, this.#newest) && ++this.#olderLists < OLDER_LISTS) {
      throw new Error(`list of version ${version} is older than ${this.#newest}`);
    }
    this.#olderLists = 0;
    this.#newest = version;
  }

  async #listPages(signal: AbortSignal): Promise<{ items: readonly T[]; resourceVersion: string }> {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    const filter = { namespace, labelSelector, fieldSelector };
    const { client } = this.#deps;
    const items: T[] = [];
    let next: string | undefined;
    try {
      for (;;) {
        const page = await client.list(this.resource, { ...filter, limit: PAGE_SIZE, continue: next }, signal);
        items.push(...page.items);
        if (!page.continue) return { items, resourceVersion: page.resourceVersion };
        next = page.continue;
      }
    } catch (error) {
      if (next === undefined || !isExpired(error)) throw error;
      // The snapshot was compacted away between two pages: take everything in one piece.
      return await client.list(this.resource, filter, signal);
    }
  }

  /** Watches from a version; returns the version to go on from once the stream has ended. */
  async #watch(from: string, signal: AbortSignal): Promise<string> {
    const { client, clock, random } = this.#deps;
    const { namespace, labelSelector, fieldSelector } = this.#options;
    const started = clock.now();
    let version = from;
    const timeoutSeconds = Math.floor(WATCH_SECONDS.least + random.next() * WATCH_SECONDS.spread);
    const options = { namespace, labelSelector, fieldSelector, resourceVersion: from, timeoutSeconds };
    const events = client.watch(this.resource, { ...options, allowWatchBookmarks: true }, signal);
    try {
      for await (const event of events) {
        if (event.type === 'ERROR') throw new ApiError(event.object);
        this.#apply(event);
        version = event.object.metadata.resourceVersion ?? version;
        this.#newest = version;
        this.#backoff.reset();
      }
    } catch (error) {
      if (signal.aborted || error instanceof ApiError) throw error;
      this.#deps.onError?.(error, this.resource);
      await this.#pause(signal);
      return version;
    }
    const empty = version === from && clock.now() - started < SHORT_WATCH;
    if (empty && !signal.aborted) await this.#pause(signal);
    return version;
  }

  #apply(event: Exclude<WatchEvent<T>, { type: 'ERROR' }>): void {
    if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#put(event.object, true);
    else if (event.type === 'DELETED') this.#remove(keyOf(event.object), event.object);
  }

  /** @param always report an object even at the version it is already known in. */
  #put(object: T, always: boolean): void {
    const known = this.#store.get(keyOf(object));
    // The same name but another object: the old one was deleted without our seeing it.
    if (known !== undefined && known.metadata.uid !== object.metadata.uid) this.#remove(keyOf(object));
    const old = this.#store.set(object);
    if (old === undefined) this.#report({ type: 'Added', object });
    else if (always || old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#report({ type: 'Updated', object, old });
    }
  }

  #remove(key: string, last?: T): void {
    const old = this.#store.delete(key);
    if (old !== undefined) this.#report({ type: 'Deleted', object: last ?? old });
  }

  #report(change: Change<T>): void {
    for (const handler of this.#handlers) this.#call(handler, change);
  }

  /** A handler that throws must cost nobody else the change. */
  #call(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      this.#deps.onError?.(error, this.resource);
    }
  }

  #startResync(): () => void {
    const { resync } = this.#options;
    if (resync === undefined) return () => {};
    const { clock } = this.#deps;
    const again = (): void => {
      for (const object of this.#store.list()) this.#report({ type: 'Updated', object, old: object });
      cancel = clock.setTimeout(again, resync);
    };
    let cancel = clock.setTimeout(again, resync);
    return () => cancel();
  }
}
