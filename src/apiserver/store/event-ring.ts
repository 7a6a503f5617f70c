import type { StoreEvent } from './watch-event.ts';

/** The last changes, oldest first, for watches and reads that begin in the past. */
export class EventRing {
  readonly #capacity: number;
  readonly #events: StoreEvent[] = [];
  #start = 0;
  /** The revision that the oldest event left to: reads from it on are complete. */
  #floor: number;

  constructor(capacity: number, floor: number) {
    this.#capacity = capacity;
    this.#floor = floor;
  }

  /** Everything after this revision is still here. */
  get floor(): number {
    return this.#floor;
  }

  push(event: StoreEvent): void {
    this.#events.push(event);
    if (this.#events.length - this.#start <= this.#capacity) return;
    this.#floor = (this.#events[this.#start] as StoreEvent).revision;
    this.#start++;
    if (this.#start > this.#capacity) {
      this.#events.splice(0, this.#start);
      this.#start = 0;
    }
  }

  /** Events after `revision`, oldest first. */
  after(revision: number): readonly StoreEvent[] {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as StoreEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }
}
