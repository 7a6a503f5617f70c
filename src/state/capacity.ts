import { INSTANCE_TERMINATING } from '../apis/condition-types.ts';
import type { ResourceList } from '../kube/objects.ts';
import { toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { conditionIsTrue, isInitialized } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';

/** The count of nodes, as a resource, in thousandths like any other. */
export const NODES_RESOURCE = 'nodes';
const ONE = 1000;

/**
 * Until a node is initialized, what the claim says stands in for resources that the node reports as nothing
 * (karpenter-core.md 8.7).
 */
function merged(node: StateNode, ofNode: ResourceList | undefined, ofClaim: ResourceList | undefined): Resources {
  const reported = toResources(ofNode);
  if (!node.nodeClaim || (node.node && isInitialized(node))) return reported;
  const result: Record<string, number> = { ...reported };
  for (const [name, amount] of Object.entries(toResources(ofClaim))) if (!result[name]) result[name] = amount;
  return result;
}

/** What the node is made of, and `nodes: 1`. */
export function nodeCapacity(node: StateNode): Resources {
  const capacity = merged(node, node.node?.status?.capacity, node.nodeClaim?.status?.capacity);
  return { ...capacity, [NODES_RESOURCE]: ONE };
}

export function nodeAllocatable(node: StateNode): Resources {
  return merged(node, node.node?.status?.allocatable, node.nodeClaim?.status?.allocatable);
}

/** Whether the node is on its way out, marked by hand or not (karpenter-core.md 8.6). */
export function isLeaving({ node, nodeClaim }: Pick<StateNode, 'node' | 'nodeClaim'>): boolean {
  if (nodeClaim) {
    return nodeClaim.metadata.deletionTimestamp !== undefined || conditionIsTrue(nodeClaim, INSTANCE_TERMINATING);
  }
  return node?.metadata.deletionTimestamp !== undefined;
}
