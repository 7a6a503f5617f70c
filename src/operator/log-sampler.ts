import type { Clock } from '../kube/clock.ts';

const TICK_MS = 1000;
const FIRST = 100;
const THEREAFTER = 100;

/**
 * Whether a line is written: of lines with the same level and message the first hundred of a second, and of the others each
 * hundredth (zap's sampling as upstream sets it, karpenter-core.md 10.5).
 */
export class LogSampler {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #counts = new Map<string, number>();
  #until = Number.NEGATIVE_INFINITY;

  constructor(deps: { readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = deps.clock;
  }

  takes(level: string, message: string): boolean {
    const now = this.#clock.now();
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + TICK_MS;
    }
    const key = `${level} ${message}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count <= FIRST || (count - FIRST) % THEREAFTER === 0;
  }
}
