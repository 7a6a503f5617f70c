import type { Node } from '../../kube/objects.ts';
import type { NamespaceLabels } from './affinity-term.ts';
import { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** What filters and scores see of the cluster. */
export interface ClusterView {
  readonly nodes: readonly NodeInfo[];
  readonly namespaceLabels: NamespaceLabels;
}

/**
 * Nodes with the pods on them, those included that the scheduler has placed but the API does not show yet. A pod may
 * arrive before its node.
 */
export class ClusterCache implements ClusterView {
  readonly namespaceLabels: NamespaceLabels;
  readonly #nodes = new Map<string, NodeInfo>();
  /** Pods of nodes that are not known (any more). */
  readonly #strays = new Map<string, Map<string, PodInfo>>();
  /** Key of a pod → the node it counts on. */
  readonly #placed = new Map<string, string>();
  #list: readonly NodeInfo[] | undefined;
  #version = 0;

  constructor(namespaceLabels: NamespaceLabels) {
    this.namespaceLabels = namespaceLabels;
  }

  /** Differs whenever anything that scheduling looks at has changed. */
  get version(): number {
    return this.#version;
  }

  /** Notes a change of something the cache does not hold itself, such as a namespace's labels. */
  touch(): void {
    this.#version++;
  }

  get nodes(): readonly NodeInfo[] {
    this.#list ??= [...this.#nodes.values()];
    return this.#list;
  }

  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: Node): void {
    this.#version++;
    const { name } = node.metadata;
    const known = this.#nodes.get(name);
    const info = known?.withNode(node) ?? new NodeInfo(node);
    for (const pod of this.#strays.get(name)?.values() ?? []) info.add(pod);
    this.#strays.delete(name);
    this.#nodes.set(name, info);
    this.#list = undefined;
  }

  removeNode(name: string): void {
    const known = this.#nodes.get(name);
    if (known === undefined) return;
    this.#version++;
    this.#nodes.delete(name);
    this.#list = undefined;
    if (known.pods.size > 0) this.#strays.set(name, new Map(known.pods));
  }

  /** Counts a pod on a node, and no longer where it counted before. */
  place(pod: PodInfo, nodeName: string): void {
    this.#version++;
    this.remove(pod.key);
    this.#placed.set(pod.key, nodeName);
    const node = this.#nodes.get(nodeName);
    if (node !== undefined) {
      node.add(pod);
      return;
    }
    const strays = this.#strays.get(nodeName) ?? new Map<string, PodInfo>();
    strays.set(pod.key, pod);
    this.#strays.set(nodeName, strays);
  }

  remove(key: string): void {
    const nodeName = this.#placed.get(key);
    if (nodeName === undefined) return;
    this.#version++;
    this.#placed.delete(key);
    this.#nodes.get(nodeName)?.remove(key);
    const strays = this.#strays.get(nodeName);
    strays?.delete(key);
    if (strays?.size === 0) this.#strays.delete(nodeName);
  }

  /** Where the pod counts. */
  nodeOf(key: string): string | undefined {
    return this.#placed.get(key);
  }
}
