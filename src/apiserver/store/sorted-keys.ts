/** Keys in byte order, for ranges by prefix and for pages. */
export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const keys = this.#keys;
    const last = keys.at(-1);
    if (last === undefined || last < key) keys.push(key);
    else keys.splice(this.#first(key), 0, key);
  }

  delete(key: string): void {
    const index = this.#first(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** The keys that start with `prefix`. */
  range(prefix: string): readonly string[] {
    if (prefix === '') return this.#keys.slice();
    return this.#keys.slice(this.#first(prefix), this.#first(`${prefix}\uffff`));
  }

  /** Index of the first key that is not before `key`. */
  #first(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
