import { keyOf } from './object-key.ts';
import type { KubeObject } from './objects.ts';

/** Values under which an object is to be found, for example the node a pod is on. */
export type IndexFunction<T> = (object: T) => readonly string[];

interface Index<T> {
  readonly valuesOf: IndexFunction<T>;
  readonly entries: Map<string, Map<string, T>>;
}

/** What readers of a cache see. Objects are shared with everybody else: never change them. */
export interface Reader<T extends KubeObject> {
  readonly size: number;
  /** By `namespace/name`, or `name`. */
  get(key: string): T | undefined;
  /** All objects, or those of one namespace. */
  list(namespace?: string): readonly T[];
  /** Objects under one value of an index; throws RangeError for an index nobody added. */
  byIndex(index: string, value: string): readonly T[];
}

/** Objects of one resource by key, with indexes. */
export class Store<T extends KubeObject> implements Reader<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  #all: readonly T[] | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return this.byIndex(NAMESPACE_INDEX, namespace);
    this.#all ??= [...this.#objects.values()];
    return this.#all;
  }

  byIndex(index: string, value: string): readonly T[] {
    if (index === NAMESPACE_INDEX) this.addIndex(NAMESPACE_INDEX, namespaceOf);
    const found = this.#indexes.get(index);
    if (found === undefined) throw new RangeError(`no index ${index}`);
    return [...(found.entries.get(value)?.values() ?? [])];
  }

  /** Adds an index; one of the same name that is already there stays. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = { valuesOf, entries: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) insert(index, key, object);
  }

  /** Puts an object in, and returns the one it replaces. */
  set(object: T): T | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#all = undefined;
    for (const index of this.#indexes.values()) {
      if (old !== undefined) remove(index, key, old);
      insert(index, key, object);
    }
    return old;
  }

  /** Takes an object out, and returns it. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#all = undefined;
    for (const index of this.#indexes.values()) remove(index, key, old);
    return old;
  }
}

const NAMESPACE_INDEX = 'metadata.namespace';
const namespaceOf = (object: KubeObject): readonly string[] => [object.metadata.namespace ?? ''];

function insert<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const entries = index.entries.get(value);
    if (entries === undefined) index.entries.set(value, new Map([[key, object]]));
    else entries.set(key, object);
  }
}

function remove<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const entries = index.entries.get(value);
    entries?.delete(key);
    if (entries?.size === 0) index.entries.delete(value);
  }
}
