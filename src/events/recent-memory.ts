/**
 * Remembers values by key, at least the last `size` that were asked for. Two generations: what is asked for moves to the
 * young one, and when that is full the old one is forgotten. So nothing has to be looked for to be thrown away.
 */
export class RecentMemory<T> {
  readonly #size: number;
  #young = new Map<string, T>();
  #old: ReadonlyMap<string, T> = new Map();

  constructor(size: number) {
    this.#size = size;
  }

  recall(key: string, make: () => T): T {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? make();
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}
