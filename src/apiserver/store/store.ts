import { deepFreeze } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { withMeta } from '../object-meta.ts';
import { EventRing } from './event-ring.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { SortedKeys } from './sorted-keys.ts';
import { CompactedError, StoreFailedError } from './store-errors.ts';
import type { StoreEvent } from './watch-event.ts';

interface Collection {
  readonly objects: Map<string, JsonObject>;
  readonly keys: SortedKeys;
  readonly listeners: Set<(event: StoreEvent) => void>;
}

type Entries = readonly (readonly [string, JsonObject])[];

export interface StoreDeps {
  readonly journal?: Journal;
  /** How many past changes watches can start from. */
  readonly history?: number;
}

/** A revision is never used twice, even if what was read before a crash had not been written down yet. */
const restartGap = 1000;

/**
 * Objects by collection (`apps/deployments`) and key (`namespace/name`), under one revision that grows with every
 * change. Changes are visible at once; watchers and callers that wait for `committed` see them once the journal has
 * them. Objects handed out are deeply frozen.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #journal: Journal | undefined;
  readonly #ring: EventRing;
  #revision = 1;
  #pending: StoreEvent[] = [];
  #commit: Promise<void> | undefined;
  #failure: StoreFailedError | undefined;

  constructor({ journal, history = 20_000 }: StoreDeps = {}) {
    this.#journal = journal;
    if (journal) {
      const { revision, objects } = journal.load();
      for (const { collection, key, object } of objects) {
        const into = this.#collection(collection);
        into.objects.set(key, deepFreeze(object));
        into.keys.add(key);
      }
      this.#revision = revision > 0 ? revision + restartGap : 1;
    }
    this.#ring = new EventRing(history, this.#revision);
  }

  get revision(): number {
    return this.#revision;
  }

  get(collection: string, key: string): JsonObject | undefined {
    return this.#collections.get(collection)?.objects.get(key);
  }

  /** Stores `object` under a new revision, which is put in its metadata, and returns what is stored. */
  put(collection: string, key: string, object: JsonObject): JsonObject {
    const into = this.#collection(collection);
    const previous = into.objects.get(key);
    const revision = this.#next();
    const stored = deepFreeze(withMeta(object, { resourceVersion: String(revision) }));
    into.objects.set(key, stored);
    if (!previous) into.keys.add(key);
    this.#record(
      previous
        ? { revision, type: 'MODIFIED', collection, key, object: stored, previous }
        : { revision, type: 'ADDED', collection, key, object: stored },
    );
    return stored;
  }

  /** Removes an object and returns its last state, under the removal's revision. `last` replaces that state. */
  remove(collection: string, key: string, last?: JsonObject): JsonObject | undefined {
    const from = this.#collections.get(collection);
    const previous = from?.objects.get(key);
    if (!from || !previous) return undefined;
    const revision = this.#next();
    from.objects.delete(key);
    from.keys.delete(key);
    const object = deepFreeze(withMeta(last ?? previous, { resourceVersion: String(revision) }));
    this.#record({ revision, type: 'DELETED', collection, key, object, previous });
    return object;
  }

  count(collection: string): number {
    return this.#collections.get(collection)?.objects.size ?? 0;
  }

  /** Names of the collections that have ever held something. */
  collections(): readonly string[] {
    return [...this.#collections.keys()];
  }

  /** Keys and objects under `prefix`, after `after`, in key order, as they are now or were at `revision`. */
  list(collection: string, prefix = '', revision = this.#revision, after = ''): Entries {
    if (revision < this.#ring.floor) throw new CompactedError(revision, this.#revision, this.#ring.floor);
    const from = this.#collections.get(collection);
    if (!from) return [];
    const now = from.keys.range(prefix, after).map((key) => [key, from.objects.get(key) as JsonObject] as const);
    if (revision >= this.#revision) return now;
    const before = new Map<string, JsonObject | undefined>();
    for (const event of [...this.#ring.after(revision), ...this.#pending]) {
      if (event.collection !== collection || event.revision <= revision || before.has(event.key)) continue;
      if (event.key.startsWith(prefix) && event.key > after) before.set(event.key, event.previous);
    }
    return before.size === 0 ? now : overlaid(now, before);
  }

  /**
   * Calls `listener` for every change of a collection after `revision`, the past ones at once. Throws CompactedError
   * when the past is gone. Returns how to stop.
   */
  subscribe(collection: string, revision: number, listener: (event: StoreEvent) => void): () => void {
    if (revision < this.#ring.floor) throw new CompactedError(revision, this.#revision, this.#ring.floor);
    for (const event of this.#ring.after(revision)) if (event.collection === collection) listener(event);
    const { listeners } = this.#collection(collection);
    const later = (event: StoreEvent): void => {
      if (event.revision > revision) listener(event);
    };
    listeners.add(later);
    return () => listeners.delete(later);
  }

  /** Resolves when all changes so far would survive a killed process. */
  committed(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return this.#commit ?? Promise.resolve();
  }

  async close(): Promise<void> {
    await this.committed().catch(() => undefined);
    this.#journal?.close();
  }

  #next(): number {
    if (this.#failure) throw this.#failure;
    this.#revision++;
    return this.#revision;
  }

  #collection(name: string): Collection {
    let found = this.#collections.get(name);
    if (!found) {
      found = { objects: new Map(), keys: new SortedKeys(), listeners: new Set() };
      this.#collections.set(name, found);
    }
    return found;
  }

  #record(event: StoreEvent): void {
    if (!this.#journal) {
      this.#publish(event);
      return;
    }
    this.#pending.push(event);
    this.#commit ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => this.#flush(resolve, reject));
    });
    this.#commit.catch(() => undefined);
  }

  /** One transaction for all that was written since the last one: many clients share the cost of a commit. */
  #flush(resolve: () => void, reject: (error: Error) => void): void {
    const events = this.#pending;
    this.#pending = [];
    this.#commit = undefined;
    try {
      this.#journal?.write(events.map(toEntry));
    } catch (error) {
      this.#failure = new StoreFailedError('the state file could not be written', { cause: error });
      reject(this.#failure);
      return;
    }
    for (const event of events) this.#publish(event);
    resolve();
  }

  #publish(event: StoreEvent): void {
    this.#ring.push(event);
    const listeners = this.#collections.get(event.collection)?.listeners;
    if (listeners) for (const listener of listeners) listener(event);
  }
}

const toEntry = ({ revision, collection, key, type, object }: StoreEvent): JournalEntry =>
  type === 'DELETED' ? { revision, collection, key } : { revision, collection, key, object };

/** Entries with some replaced by what they were, or left out where they weren't. */
function overlaid(now: Entries, before: ReadonlyMap<string, JsonObject | undefined>): Entries {
  const kept = now.filter(([key]) => !before.has(key));
  const others = [...before].filter((entry): entry is [string, JsonObject] => entry[1] !== undefined);
  others.sort(([a], [b]) => (a < b ? -1 : 1));
  const merged: (readonly [string, JsonObject])[] = [];
  let next = 0;
  for (const entry of kept) {
    for (let other = others[next]; other && other[0] < entry[0]; other = others[next]) {
      merged.push(other);
      next++;
    }
    merged.push(entry);
  }
  return [...merged, ...others.slice(next)];
}
