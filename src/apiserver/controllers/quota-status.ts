import type { Clock } from '../../kube/clock.ts';
import { jsonEqual } from '../../kube/json-equal.ts';
import { collectionsOf, usedOf } from '../admission/quota-totals.ts';
import { asObject } from '../json.ts';
import { namespaceOf } from '../object-meta.ts';
import { readerOf } from '../registry/object-reader.ts';
import type { Store } from '../store/store.ts';

const QUOTAS = 'resourcequotas';
/** Changes that come within this many milliseconds are counted together. */
const PAUSE = 50;

/** Writes into each ResourceQuota how much of it is used (pkg/controller/resourcequota). */
export class QuotaStatus {
  readonly #store: Store;
  readonly #clock: Clock;
  /** How to stop looking at each collection that a quota counts. */
  readonly #watched = new Map<string, () => void>();
  readonly #due = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Keeps statuses true from now on; returns how to stop. */
  start(): () => void {
    this.#watch(QUOTAS);
    for (const [, quota] of this.#store.list(QUOTAS)) this.#later(namespaceOf(quota));
    return () => {
      this.#cancel?.();
      for (const stop of this.#watched.values()) stop();
      this.#watched.clear();
    };
  }

  /** Whatever no quota counts isn't looked at. */
  #watch(collection: string): void {
    if (this.#watched.has(collection)) return;
    const stop = this.#store.subscribe(collection, this.#store.revision, ({ object }) => {
      const namespace = namespaceOf(object);
      if (this.#store.list(QUOTAS, `${namespace}/`).length > 0) this.#later(namespace);
    });
    this.#watched.set(collection, stop);
  }

  #later(namespace: string): void {
    this.#due.add(namespace);
    this.#cancel ??= this.#clock.setTimeout(() => {
      this.#cancel = undefined;
      const due = [...this.#due];
      this.#due.clear();
      for (const one of due) this.#count(one);
    }, PAUSE);
  }

  #count(namespace: string): void {
    const objects = readerOf(this.#store);
    for (const [key, quota] of this.#store.list(QUOTAS, `${namespace}/`)) {
      for (const collection of collectionsOf(quota)) this.#watch(collection);
      const hard = asObject(asObject(quota.spec).hard);
      const status = { hard, used: usedOf(quota, objects) };
      if (!jsonEqual(status, quota.status ?? {})) this.#store.put(QUOTAS, key, { ...quota, status });
    }
  }
}
