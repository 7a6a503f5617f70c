import type { Clock } from '../../kube/clock.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf, resourceVersionOf } from '../object-meta.ts';
import type { Store } from '../store/store.ts';

const EVENTS = 'events';
/** kube-apiserver's `--event-ttl`. */
const LIFETIME_MS = 3_600_000;
/** Between two looks, in milliseconds: many events go at once. */
const PERIOD_MS = 60_000;

interface Entry {
  readonly key: string;
  readonly version: string;
  readonly due: number;
}

/** Removes events an hour after they were last written: nobody else ever would. */
export class EventExpiry {
  readonly #store: Store;
  readonly #clock: Clock;
  /** In the order in which they fall due; those before `#first` have been seen to. */
  #entries: Entry[] = [];
  #first = 0;
  #cancel: (() => void) | undefined;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Lets events expire from now on, those of an earlier run by their age; returns how to stop. */
  start(): () => void {
    const earlier = this.#store.list(EVENTS).map(([key, event]) => entry(key, event, createdAt(event)));
    this.#entries = earlier.sort((a, b) => a.due - b.due);
    this.#arm();
    const stop = this.#store.subscribe(EVENTS, this.#store.revision, ({ type, key, object }) => {
      if (type === 'DELETED') return;
      this.#entries.push(entry(key, object, this.#clock.now()));
      this.#arm();
    });
    return () => {
      stop();
      this.#cancel?.();
    };
  }

  #arm(): void {
    const next = this.#entries[this.#first];
    if (!next || this.#cancel) return;
    const wait = Math.max(next.due - this.#clock.now(), PERIOD_MS);
    this.#cancel = this.#clock.setTimeout(() => {
      this.#cancel = undefined;
      this.#expire();
      this.#arm();
    }, wait);
  }

  #expire(): void {
    const now = this.#clock.now();
    for (let next = this.#entries[this.#first]; next && next.due <= now; next = this.#entries[this.#first]) {
      this.#first++;
      const event = this.#store.get(EVENTS, next.key);
      // One that was written again lives on from then.
      if (event && resourceVersionOf(event) === next.version) this.#store.remove(EVENTS, next.key);
    }
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}

const entry = (key: string, event: JsonObject, writtenAt: number): Entry => ({
  key,
  version: resourceVersionOf(event),
  due: writtenAt + LIFETIME_MS,
});

const createdAt = (event: JsonObject): number => Date.parse(String(metaOf(event).creationTimestamp));
