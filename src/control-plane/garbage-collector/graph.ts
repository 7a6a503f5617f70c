import type { Resource } from '../../kube/client.ts';
import type { KubeObject, OwnerReference } from '../../kube/objects.ts';

/** An object as the garbage collector sees it. */
export interface GraphNode {
  readonly uid: string;
  readonly resource: Resource;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly deleting: boolean;
}

export function graphNode(resource: Resource, { metadata }: KubeObject): GraphNode {
  return {
    uid: metadata.uid ?? '',
    resource,
    name: metadata.name,
    namespace: metadata.namespace,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

/** Who owns whom, by uid. */
export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Returns what was known of the object before. */
  put(node: GraphNode): GraphNode | undefined {
    const old = this.#nodes.get(node.uid);
    if (old) this.#unlink(old);
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents) dependents.add(node.uid);
      else this.#dependents.set(uid, new Set([node.uid]));
    }
    return old;
  }

  remove(uid: string): void {
    const old = this.#nodes.get(uid);
    if (old) this.#unlink(old);
    this.#nodes.delete(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  #unlink(node: GraphNode): void {
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(node.uid);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}
