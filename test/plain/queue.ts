/** The order in which pods are tried (karpenter-core.md 4.4.1-4.4.2). */
import type { Pod } from '../../src/kube/objects.ts';
import { requestsOf } from './pod-needs.ts';

export class Queue {
  readonly #pods: Pod[];
  readonly #lengthWhenPushed = new Map<Pod, number>();

  constructor(pods: readonly Pod[]) {
    this.#pods = pods
      .map((pod) => ({ pod, requests: requestsOf(pod), metadata: pod.metadata }))
      .sort(
        (a, b) =>
          (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
          (b.requests.memory ?? 0) - (a.requests.memory ?? 0) ||
          order(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
          order(a.metadata.uid, b.metadata.uid),
      )
      .map(({ pod }) => pod);
  }

  /** Undefined at the end, and when a whole round has placed nobody. */
  pop(): Pod | undefined {
    const [pod] = this.#pods;
    if (!pod || this.#lengthWhenPushed.get(pod) === this.#pods.length) return undefined;
    return this.#pods.shift();
  }

  push(pod: Pod): void {
    this.#pods.push(pod);
    this.#lengthWhenPushed.set(pod, this.#pods.length);
  }
}

function order(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
