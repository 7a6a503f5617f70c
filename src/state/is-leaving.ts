import { INSTANCE_TERMINATING } from '../apis/condition-types.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import type { StateNode } from '../scheduling/types.ts';

/** Whether the objects themselves say that the node is on its way out (karpenter-core.md 8.6). */
export function isLeaving({ node, nodeClaim }: Pick<StateNode, 'node' | 'nodeClaim'>): boolean {
  if (nodeClaim) {
    return nodeClaim.metadata.deletionTimestamp !== undefined || conditionIsTrue(nodeClaim, INSTANCE_TERMINATING);
  }
  return node?.metadata.deletionTimestamp !== undefined;
}
