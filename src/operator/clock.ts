import type { Clock } from '../kube/clock.ts';
import { sleepBy } from '../kube/sleep.ts';

/** Node cuts longer timers down to one millisecond. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own time. */
export class RealClock implements Clock {
  now(): number {
    return Date.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal);
  }

  setTimeout(callback: () => void, ms: number): () => void {
    const due = Date.now() + ms;
    let timer = setTimeout(wake, Math.min(ms, LONGEST_TIMER));
    function wake(): void {
      const left = due - Date.now();
      if (left <= 0 || ms <= LONGEST_TIMER) callback();
      else timer = setTimeout(wake, Math.min(left, LONGEST_TIMER));
    }
    return () => clearTimeout(timer);
  }
}
