import type { Pod } from '../kube/objects.ts';
import type { PodShape } from './pod-shape.ts';

export interface QueuedPod {
  readonly pod: Pod;
  readonly shape: PodShape;
}

/**
 * Pods in the order in which they are tried: those that earlier passes have not reached, then big ones, then old ones
 * (karpenter-core.md 4.4.1). A pod that fails goes to the end; when it comes round again and nothing has left the queue since,
 * nothing ever will.
 */
export class PodQueue {
  readonly #items: QueuedPod[];
  readonly #lengthAtPush = new Map<Pod, number>();
  #head = 0;

  constructor(items: readonly QueuedPod[], passesMissed: (pod: Pod) => number = () => 0) {
    const keyed = items.map((item) => ({
      item,
      missed: passesMissed(item.pod),
      cpu: item.shape.requests.cpu ?? 0,
      memory: item.shape.requests.memory ?? 0,
      created: item.pod.metadata.creationTimestamp ?? '',
      uid: item.pod.metadata.uid ?? '',
    }));
    keyed.sort(
      (a, b) =>
        b.missed - a.missed || b.cpu - a.cpu || b.memory - a.memory || text(a.created, b.created) || text(a.uid, b.uid),
    );
    this.#items = keyed.map(({ item }) => item);
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Those that have never been pushed back, in order. */
  get untried(): readonly Pod[] {
    return this.#items.slice(this.#head).flatMap(({ pod }) => (this.#lengthAtPush.has(pod) ? [] : [pod]));
  }

  /** Undefined when the queue is empty, or has gone round without progress. */
  pop(): QueuedPod | undefined {
    const next = this.#items[this.#head];
    if (!next || this.#lengthAtPush.get(next.pod) === this.length) return undefined;
    this.#head++;
    return next;
  }

  push(item: QueuedPod): void {
    this.#items.push(item);
    this.#lengthAtPush.set(item.pod, this.length);
  }
}

function text(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
