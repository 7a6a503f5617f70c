import type { Clock } from '../kube/clock.ts';
import { sleepBy } from '../kube/sleep.ts';
import { type Timer, TimerHeap } from './timer-heap.ts';

/**
 * Time that moves only when told. Timers fire in order of their due time, then of their creation; between two of them
 * everything that is ready to run gets to run, so the same program gives the same history every time, as long as it
 * waits for nothing but this clock and for promises (no network, no file, no thread).
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerHeap();
  #now: number;
  #order = 0;

  /** @param start epoch milliseconds. */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): () => void {
    const at = this.#now + Math.max(0, ms);
    const timer: Timer = { at, order: this.#order++, callback, cancelled: false, fired: false };
    this.#timers.push(timer);
    return () => this.#timers.cancel(timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal);
  }

  /** Lets everything run that needs no time to pass. */
  async settle(): Promise<void> {
    // One turn of the event loop drains every chain of promises; the second is for code that itself yields a turn.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Due time of the next timer, if any. */
  nextTimer(): number | undefined {
    return this.#timers.peek()?.at;
  }

  /** Moves on by `ms`, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    await this.#run(this.#now + ms, () => false);
  }

  /**
   * Moves on until `done` says so, or `limitMs` have passed.
   *
   * @returns what `done` last said.
   */
  async runUntil(done: () => boolean, limitMs: number): Promise<boolean> {
    return await this.#run(this.#now + limitMs, done);
  }

  /** Moves on until no timer is left, or `limitMs` have passed (then time stands at the limit). */
  async runUntilIdle(limitMs = Number.POSITIVE_INFINITY): Promise<void> {
    await this.#run(this.#now + limitMs, () => this.#timers.peek() === undefined);
  }

  async #run(end: number, done: () => boolean): Promise<boolean> {
    await this.settle();
    for (;;) {
      if (done()) return true;
      const next = this.#timers.peek();
      if (next === undefined || next.at > end) {
        if (Number.isFinite(end)) this.#now = Math.max(this.#now, end);
        return done();
      }
      this.#timers.pop();
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await this.settle();
    }
  }
}
