/** A callback due at `at`; `order` decides among those of the same instant. */
export interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
  fired: boolean;
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Cancelled timers that are not worth a clean-up yet. */
const FEW = 1000;

/** Timers by due time, earliest first. Cancelled ones are dropped when they surface, or are half of all. */
export class TimerHeap {
  #timers: Timer[] = [];
  #cancelled = 0;

  /** Timers that are kept, those not yet dropped included. */
  get size(): number {
    return this.#timers.length;
  }

  push(timer: Timer): void {
    const timers = this.#timers;
    let index = timers.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = timers[parent] as Timer;
      if (!before(timer, above)) break;
      timers[index] = above;
      index = parent;
    }
    timers[index] = timer;
  }

  /** The timer no longer counts. One that has fired already is left alone. */
  cancel(timer: Timer): void {
    if (timer.cancelled || timer.fired) return;
    timer.cancelled = true;
    this.#cancelled++;
    if (this.#cancelled < FEW || this.#cancelled < this.#timers.length / 2) return;
    const left = this.#timers.filter(({ cancelled }) => !cancelled);
    this.#timers = [];
    this.#cancelled = 0;
    for (const other of left) this.push(other);
  }

  /** The earliest timer that still counts. */
  peek(): Timer | undefined {
    while (this.#timers[0]?.cancelled) {
      this.#removeFirst();
      this.#cancelled--;
    }
    return this.#timers[0];
  }

  pop(): Timer | undefined {
    const first = this.peek();
    if (first === undefined) return undefined;
    this.#removeFirst();
    first.fired = true;
    return first;
  }

  #removeFirst(): void {
    const timers = this.#timers;
    const last = timers.pop();
    if (last === undefined || timers.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= timers.length) break;
      const right = timers[child + 1];
      if (right !== undefined && before(right, timers[child] as Timer)) child++;
      const smaller = timers[child] as Timer;
      if (!before(smaller, last)) break;
      timers[index] = smaller;
      index = child;
    }
    timers[index] = last;
  }
}
