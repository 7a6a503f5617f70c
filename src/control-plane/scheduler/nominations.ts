import type { Filter, Rejection } from './filter.ts';
import { type PreparedFilters, prepareFilters, rejection } from './find-nodes.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** Pods that wait for room on a node which preemption makes for them. */
export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodes = new Map<string, string>();

  set(pod: PodInfo, nodeName: string): void {
    this.delete(pod.key);
    const pods = this.#byNode.get(nodeName) ?? new Map<string, PodInfo>();
    pods.set(pod.key, pod);
    this.#byNode.set(nodeName, pods);
    this.#nodes.set(pod.key, nodeName);
  }

  delete(key: string): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    this.#nodes.delete(key);
    const pods = this.#byNode.get(node);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  nodeOf(key: string): string | undefined {
    return this.#nodes.get(key);
  }

  /**
   * A second look at a node, as if the pods promised a place there, no less important than `pod`, had arrived. Only
   * filters that look at the node alone are asked.
   */
  check(pod: PodInfo, filters: readonly Filter[]): (node: NodeInfo) => Rejection | undefined {
    if (this.#byNode.size === 0) return () => undefined;
    const local = filters.filter(({ clusterWide }) => !clusterWide);
    let prepared: PreparedFilters | undefined;
    return (node) => {
      const promised = [...(this.#byNode.get(node.name)?.values() ?? [])].filter(
        ({ key, priority }) => key !== pod.key && priority >= pod.priority,
      );
      if (promised.length === 0) return undefined;
      const crowded = node.clone();
      for (const other of promised) crowded.add(other);
      prepared ??= prepareFilters(pod, { nodes: [], namespaceLabels: () => undefined }, local);
      return 'checks' in prepared ? rejection(prepared.checks, crowded) : undefined;
    };
  }
}
