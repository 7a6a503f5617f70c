import type { Clock } from '../kube/clock.ts';

/** Milliseconds of rest for each dependent that had to be looked at. */
const REST_PER_DEPENDENT = 0.1;

/**
 * Spaces the looks at an owner out by how much each costs: an owner of thousands, each of which changes several times as
 * it starts, would otherwise be looked at thousands of times. Small owners are not slowed.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #notBefore = new Map<string, number>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Milliseconds until the owner may be looked at again; 0 for now. */
  wait(owner: string): number {
    return Math.max(0, (this.#notBefore.get(owner) ?? 0) - this.#clock.now());
  }

  ran(owner: string, dependents: number): void {
    const rest = Math.floor(dependents * REST_PER_DEPENDENT);
    if (rest > 0) this.#notBefore.set(owner, this.#clock.now() + rest);
    else this.#notBefore.delete(owner);
  }

  forget(owner: string): void {
    this.#notBefore.delete(owner);
  }
}
