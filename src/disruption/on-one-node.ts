import { podRequests } from '../kube/pod-requests.ts';
import { allocatableOfferings } from '../scheduling/instance-offerings.ts';
import { byWeight } from '../scheduling/node-pool-template.ts';
import { usablePool } from '../scheduling/node-pool-templates.ts';
import { addResources, fits } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';
import type { Candidate } from './candidate.ts';
import type { MethodContext } from './method.ts';
import type { SimulationOutcome } from './simulation.ts';

/**
 * Other ways to pack a node's pods where the packer wanted several new nodes: one node of one pool. Pools are tried by
 * weight, so a heavier pool of small nodes takes the first pod, and the rest needs a node of another pool though that
 * could hold them all. Only pools that sell a cheaper type of that size are tried.
 */
export function* onOneNode(
  candidate: Candidate,
  outcome: SimulationOutcome,
  context: MethodContext,
): Generator<SimulationOutcome> {
  const used = new Set(outcome.newNodeClaims.map(({ nodePool }) => nodePool.metadata.name));
  const [tried] = used.size === 1 ? used : [];
  const pods = outcome.newNodeClaims.flatMap((claim) => claim.pods);
  const total = pods.reduce<Resources>((sum, pod) => addResources(sum, podRequests(pod)), { pods: pods.length * 1000 });
  const pools = context.index.world.pools.filter(
    (pool) =>
      usablePool(pool.nodePool) && pool.nodePool.metadata.name !== tried && sellsCheaper(pool, total, candidate.price),
  );
  for (const { nodePool } of pools.toSorted((a, b) => byWeight(a.nodePool, b.nodePool))) {
    const alternative = context.simulate([candidate.node], true, nodePool.metadata.name);
    if (alternative.newNodeClaims.length === 1) yield alternative;
  }
}

function sellsCheaper({ instanceTypes }: PoolAndTypes, total: Resources, price: number): boolean {
  return instanceTypes.some((type) =>
    allocatableOfferings(type).some(
      ({ allocatable, offerings }) => offerings.some((o) => o.price < price) && fits(total, allocatable),
    ),
  );
}
