/** An array, plain or typed. */
interface Sequence<T> {
  readonly length: number;
  [index: number]: T;
}

/**
 * Go's `sort.Slice`, ties included. Upstream orders open claims by pod count and instance types by price with it; both are
 * full of ties, and where those fall decides which node a pod gets. It is a pattern-defeating quicksort (Orson Peters) with
 * Go's parameters: same pivots, same swaps, same result.
 */
export function goSort<T>(items: Sequence<T>, less: (a: T, b: T) => boolean): void {
  new Sorter(items, less).sort(0, items.length, 32 - Math.clz32(items.length));
}

/** Numbers that are in order but for the one at `position`, sorted the same; nearly always by moving just that. */
export function goSortMoved(items: Int32Array, position: number, less: (a: number, b: number) => boolean): void {
  if (items.length < SHIFTING_LENGTH || !new Sorter(items, less).looksSorted()) {
    goSort(items, less);
    return;
  }
  const moved = items[position] as number;
  if (position > 0 && less(moved, items[position - 1] as number)) {
    const to = firstWhere(0, position, (index) => less(moved, items[index] as number));
    items.copyWithin(to + 1, to, position);
    items[to] = moved;
  } else {
    const to = firstWhere(position + 1, items.length, (index) => !less(items[index] as number, moved)) - 1;
    items.copyWithin(position, position + 1, to + 1);
    items[to] = moved;
  }
}

/** The first index in [from, to) that passes, where all that follow pass too; `to` when none does. */
function firstWhere(from: number, to: number, passes: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const INSERTION_LENGTH = 12;
const NINTHER_LENGTH = 50;
const SHIFTING_LENGTH = 50;
const SHIFTING_STEPS = 5;
const MOST_PIVOT_SWAPS = 12;

class Sorter<T> {
  readonly #items: Sequence<T>;
  readonly #less: (a: T, b: T) => boolean;
  #pivotSwaps = 0;

  constructor(items: Sequence<T>, less: (a: T, b: T) => boolean) {
    this.#items = items;
    this.#less = less;
  }

  /** Whether the places at which Go looks for a pivot are in order, so that it goes on to mend single misplaced items. */
  looksSorted(): boolean {
    this.#choosePivot(0, this.#items.length);
    return this.#pivotSwaps === 0;
  }

  sort(start: number, stop: number, badPivotsAllowed: number): void {
    let [from, to, limit] = [start, stop, badPivotsAllowed];
    let balanced = true;
    let partitioned = true;
    for (;;) {
      const length = to - from;
      if (length <= INSERTION_LENGTH || limit === 0) {
        if (length <= INSERTION_LENGTH) this.#insertionSort(from, to);
        else this.#heapSort(from, to);
        return;
      }
      if (!balanced) {
        this.#scatter(from, to);
        limit--;
      }
      let pivot = this.#choosePivot(from, to);
      let ascending = this.#pivotSwaps === 0;
      if (this.#pivotSwaps === MOST_PIVOT_SWAPS) {
        this.#reverse(from, to);
        pivot = to - 1 - (pivot - from);
        ascending = true;
      }
      if (balanced && partitioned && ascending && this.#almostSorted(from, to)) return;
      if (from > 0 && !this.#isLess(from - 1, pivot)) {
        from = this.#partitionEqual(from, to, pivot);
        continue;
      }
      const [middle, wasPartitioned] = this.#partition(from, to, pivot);
      partitioned = wasPartitioned;
      const [left, right] = [middle - from, to - middle];
      if (left < right) {
        balanced = left >= length >> 3;
        this.sort(from, middle, limit);
        from = middle + 1;
      } else {
        balanced = right >= length >> 3;
        this.sort(middle + 1, to, limit);
        to = middle;
      }
    }
  }

  #isLess(i: number, j: number): boolean {
    return this.#less(this.#items[i] as T, this.#items[j] as T);
  }

  #swap(i: number, j: number): void {
    const kept = this.#items[i] as T;
    this.#items[i] = this.#items[j] as T;
    this.#items[j] = kept;
  }

  #insertionSort(from: number, to: number): void {
    for (let i = from + 1; i < to; i++) {
      for (let j = i; j > from && this.#isLess(j, j - 1); j--) this.#swap(j, j - 1);
    }
  }

  #heapSort(from: number, to: number): void {
    const length = to - from;
    for (let i = (length - 1) >> 1; i >= 0; i--) this.#siftDown(i, length, from);
    for (let i = length - 1; i >= 0; i--) {
      this.#swap(from, from + i);
      this.#siftDown(0, i, from);
    }
  }

  #siftDown(start: number, length: number, first: number): void {
    let root = start;
    for (;;) {
      let child = 2 * root + 1;
      if (child >= length) return;
      if (child + 1 < length && this.#isLess(first + child, first + child + 1)) child++;
      if (!this.#isLess(first + root, first + child)) return;
      this.#swap(first + root, first + child);
      root = child;
    }
  }

  /** Swaps three elements near the middle with pseudo-random ones (a 64-bit xorshift seeded with the length). */
  #scatter(from: number, to: number): void {
    const length = to - from;
    if (length < 8) return;
    const mask = BigInt(2 ** (32 - Math.clz32(length)) - 1);
    let random = BigInt(length);
    const middle = from + (length >> 2) * 2;
    for (let index = middle - 1; index <= middle + 1; index++) {
      random ^= BigInt.asUintN(64, random << 13n);
      random ^= random >> 7n;
      random ^= BigInt.asUintN(64, random << 17n);
      let other = Number(random & mask);
      if (other >= length) other -= length;
      this.#swap(index, from + other);
    }
  }

  #choosePivot(from: number, to: number): number {
    this.#pivotSwaps = 0;
    const length = to - from;
    const quarter = length >> 2;
    let [i, j, k] = [from + quarter, from + quarter * 2, from + quarter * 3];
    if (length >= 8) {
      if (length >= NINTHER_LENGTH) {
        i = this.#median(i - 1, i, i + 1);
        j = this.#median(j - 1, j, j + 1);
        k = this.#median(k - 1, k, k + 1);
      }
      j = this.#median(i, j, k);
    }
    return j;
  }

  #median(first: number, second: number, third: number): number {
    let [a, b, c] = [first, second, third];
    if (this.#isLess(b, a)) {
      [a, b] = [b, a];
      this.#pivotSwaps++;
    }
    if (this.#isLess(c, b)) {
      [b, c] = [c, b];
      this.#pivotSwaps++;
    }
    if (this.#isLess(b, a)) {
      [a, b] = [b, a];
      this.#pivotSwaps++;
    }
    return b;
  }

  #reverse(from: number, to: number): void {
    for (let i = from, j = to - 1; i < j; i++, j--) this.#swap(i, j);
  }

  /** Mends up to five misplaced pairs; false when that was not enough. */
  #almostSorted(from: number, to: number): boolean {
    let i = from + 1;
    for (let step = 0; step < SHIFTING_STEPS; step++) {
      while (i < to && !this.#isLess(i, i - 1)) i++;
      if (i === to) return true;
      if (to - from < SHIFTING_LENGTH) return false;
      this.#swap(i, i - 1);
      if (i - from >= 2) for (let j = i - 1; j >= 1 && this.#isLess(j, j - 1); j--) this.#swap(j, j - 1);
      if (to - i >= 2) for (let j = i + 1; j < to && this.#isLess(j, j - 1); j++) this.#swap(j, j - 1);
    }
    return false;
  }

  #partition(from: number, to: number, pivot: number): [middle: number, wasPartitioned: boolean] {
    this.#swap(from, pivot);
    let [i, j] = [from + 1, to - 1];
    let swapped = false;
    for (;;) {
      while (i <= j && this.#isLess(i, from)) i++;
      while (i <= j && !this.#isLess(j, from)) j--;
      if (i > j) break;
      this.#swap(i, j);
      swapped = true;
      i++;
      j--;
    }
    this.#swap(j, from);
    return [j, !swapped];
  }

  /** Everything equal to the pivot to the front; where the greater ones begin. */
  #partitionEqual(from: number, to: number, pivot: number): number {
    this.#swap(from, pivot);
    let [i, j] = [from + 1, to - 1];
    for (;;) {
      while (i <= j && !this.#isLess(from, i)) i++;
      while (i <= j && this.#isLess(from, j)) j--;
      if (i > j) break;
      this.#swap(i, j);
      i++;
      j--;
    }
    return i;
  }
}
