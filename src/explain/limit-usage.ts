import { addResources, toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import type { StateNode } from '../scheduling/types.ts';

/** What the pool's nodes count towards its limits: capacities, and their number as `nodes`. */
export function limitUsage(nodes: readonly StateNode[]): Resources {
  const capacity = nodes
    .map(({ node, nodeClaim }) => toResources(node?.status?.capacity ?? nodeClaim?.status?.capacity))
    .reduce((a, b) => addResources(a, b), {} as Resources);
  return { ...capacity, nodes: nodes.length * 1000 };
}
