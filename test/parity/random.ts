/** Reproducible choices: the same seed gives the same sequence (mulberry32). */
export class SeededChoices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('nothing to pick from');
    return from[this.integer(0, from.length - 1)] as T;
  }

  /** At least one, at most `most`, in their order. */
  some<T>(from: readonly T[], most = from.length): T[] {
    const wanted = this.integer(1, Math.min(most, from.length));
    const left = from.map((value, index) => ({ value, index }));
    const chosen: typeof left = [];
    while (chosen.length < wanted) {
      const [taken] = left.splice(this.integer(0, left.length - 1), 1);
      if (taken) chosen.push(taken);
    }
    return chosen.sort((a, b) => a.index - b.index).map(({ value }) => value);
  }
}
