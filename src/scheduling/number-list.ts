const ROOM_AT_FIRST = 256;

/** Integers of 32 bits by position, 0 where nothing was put; grows as it must. */
export class NumberList {
  #values = new Int32Array(ROOM_AT_FIRST);

  at(position: number): number {
    return this.#values[position] ?? 0;
  }

  put(position: number, value: number): void {
    if (position >= this.#values.length) {
      const wider = new Int32Array(2 * position);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[position] = value;
  }

  /** The first `length` of them, without a copy; good until the next `put`. */
  first(length: number): Int32Array {
    return this.#values.subarray(0, length);
  }
}
