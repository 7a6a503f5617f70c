import { parseQuantityMilli } from '../kube/quantity.ts';
import { orderByPrice } from '../scheduling/launch-order.ts';
import { templateRequirements } from '../scheduling/node-pool-template.ts';
import { nodePoolName } from '../scheduling/state-node.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { type PlannedClaimReport, plannedClaimReport } from './plan-report.ts';
import { buyableTypes } from './pool-offerings.ts';

/** Claims that static pools would have made for them to have all their replicas; none while their gate is off. */
export function missingReplicas(analysis: Analysis): readonly PlannedClaimReport[] {
  const { world, gates } = analysis;
  if (!gates.StaticCapacity) return [];
  return world.pools.flatMap((pool) => {
    const { replicas, limits } = pool.nodePool.spec;
    if (replicas === undefined || pool.nodePool.metadata.deletionTimestamp) return [];
    const own = world.nodes.filter((node) => node.nodeClaim && nodePoolName(node) === pool.nodePool.metadata.name);
    const most = limits?.nodes === undefined ? replicas : parseQuantityMilli(String(limits.nodes)) / 1000;
    const missing = Math.min(replicas, most) - own.filter((node) => !node.markedForDeletion).length;
    return missing > 0 ? Array.from({ length: missing }, () => staticClaim(pool, analysis.wellKnown)) : [];
  });
}

/** What one replica of the pool would be launched as: its template, whatever pods there are. */
export function staticClaim(pool: PoolAndTypes, wellKnown: ReadonlySet<string>): PlannedClaimReport {
  const requirements = templateRequirements(pool.nodePool);
  const instanceTypes = orderByPrice(buyableTypes(pool, wellKnown), requirements, wellKnown);
  return plannedClaimReport(
    { nodePool: pool.nodePool, pods: [], instanceTypes, requirements, requests: {}, annotations: {} },
    wellKnown,
  );
}
