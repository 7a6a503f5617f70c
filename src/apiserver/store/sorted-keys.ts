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

  /** The keys that start with `prefix` and come after `after`. */
  range(prefix: string, after = ''): readonly string[] {
    const begin = after > prefix ? this.#first(`${after}\0`) : this.#first(prefix);
    return this.#keys.slice(begin, prefix === '' ? this.#keys.length : this.#first(`${prefix}\uffff`));
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
