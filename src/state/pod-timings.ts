import type { Clock } from '../kube/clock.ts';
import type { Pod } from '../kube/objects.ts';
import { isBound } from '../kube/pods.ts';
import { podKey } from './pod-key.ts';

/** When passes got to a pod, in epoch milliseconds. */
export interface PodTiming {
  /** First seen to wait for a node. */
  readonly seen?: number;
  /** First pass that found a place for it, or none. */
  readonly decided?: number;
  /** First pass that found a place for it; since the last one that found none. */
  readonly placed?: number;
  /** The same, of a pool whose nodes register. */
  readonly placedInHealthyPool?: number;
  /** The claim that it is meant for. */
  readonly nodeClaim?: string;
}

/** Where a pass puts a pod. */
export interface Placement {
  /** New nodes of the pool have registered lately. */
  readonly healthyPool: boolean;
  /** Of a node that exists. */
  readonly nodeClaim?: string;
}

/** How long each pod has waited for what, by namespace and name, until it is gone (karpenter-core.md 8.12). */
export class PodTimings {
  readonly #clock: Clock;
  readonly #timings = new Map<string, PodTiming>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** @param key `namespace/name` of a pod. */
  of(key: string): PodTiming {
    return this.#timings.get(key) ?? {};
  }

  /** All that are known, by `namespace/name`. */
  entries(): Iterable<readonly [string, PodTiming]> {
    return this.#timings;
  }

  /** The pod waits for a node; told again and again, only the first time counts. */
  saw(pod: Pod): void {
    this.#change(podKey(pod), ({ seen = this.#clock.now(), ...rest }) => ({ ...rest, seen }));
  }

  /** A pass found no place for the pod. Answers how long it had waited, in milliseconds, if that is its first answer. */
  failed(pod: Pod): number | undefined {
    const key = podKey(pod);
    const waited = this.#firstAnswer(key);
    this.#change(key, ({ seen, decided = this.#clock.now() }) => ({ seen, decided }));
    return waited;
  }

  /**
   * A pass found a place for the pod; one that is bound, and was only tried because its node goes, is left alone. Answers how
   * long it had waited, in milliseconds, if that is its first answer.
   */
  placed(pod: Pod, { healthyPool, nodeClaim }: Placement): number | undefined {
    if (isBound(pod)) return undefined;
    const key = podKey(pod);
    const waited = this.#firstAnswer(key);
    const now = this.#clock.now();
    this.#change(key, ({ decided = now, placed = now, placedInHealthyPool = now, ...rest }) => ({
      ...rest,
      decided,
      placed,
      ...(healthyPool ? { placedInHealthyPool } : {}),
      ...(nodeClaim === undefined ? {} : { nodeClaim }),
    }));
    return waited;
  }

  /** A claim has been made for the pod; one that is gone meanwhile is left alone. */
  plannedFor(pod: Pod, nodeClaim: string): void {
    if (this.#timings.has(podKey(pod))) this.#change(podKey(pod), (timing) => ({ ...timing, nodeClaim }));
  }

  /** The pod is gone, or runs: there is nothing more to wait for. */
  forget(key: string): void {
    this.#timings.delete(key);
  }

  #firstAnswer(key: string): number | undefined {
    const { seen, decided } = this.of(key);
    return seen === undefined || decided !== undefined ? undefined : this.#clock.now() - seen;
  }

  #change(key: string, change: (timing: PodTiming) => PodTiming): void {
    this.#timings.set(key, change(this.of(key)));
  }
}
