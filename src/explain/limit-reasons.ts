import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { formatMilli, parseQuantityMilli } from '../kube/quantity.ts';
import { addResources, toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { nodePoolName } from '../scheduling/state-node.ts';
import type { Reason, StateNode, World } from '../scheduling/types.ts';

/** What the pool's nodes count towards its limits: capacities, and their number as `nodes`. */
export function limitUsage(nodes: readonly StateNode[]): Resources {
  const capacity = nodes
    .map(({ node, nodeClaim }) => toResources(node?.status?.capacity ?? nodeClaim?.status?.capacity))
    .reduce((a, b) => addResources(a, b), {} as Resources);
  return { ...capacity, nodes: nodes.length * 1000 };
}

/**
 * The limits of the pool that leave less than the pod asks for. The packer only sees that no instance type of the sizes
 * that remain is large enough.
 */
export function limitReasons(pod: Pod, pool: NodePool, world: World): readonly Reason[] {
  const limits = Object.entries(pool.spec.limits ?? {});
  if (limits.length === 0) return [];
  const used = limitUsage(world.nodes.filter((node) => nodePoolName(node) === pool.metadata.name));
  const requests: Resources = { ...podRequests(pod), nodes: 1000 };
  return limits.flatMap(([name, limit]) => {
    const all = parseQuantityMilli(String(limit));
    const left = Math.max(all - (used[name] ?? 0), 0);
    const wanted = requests[name] ?? 0;
    if (wanted <= left) return [];
    const print = (milli: number): string => formatMilli(name, milli);
    return [
      {
        code: 'NodePoolLimit' as const,
        message: `limit of the pool: ${name} ${print(left)} left of ${print(all)}, ${print(wanted)} needed`,
        pod: `${name} ${print(wanted)}`,
        other: `${name} ${print(left)}`,
        subject: name,
      },
    ];
  });
}
