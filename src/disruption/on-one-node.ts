import { byWeight } from '../scheduling/node-pool-template.ts';
import { usablePool } from '../scheduling/node-pool-templates.ts';
import { fits } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';
import type { Candidate } from './candidate.ts';
import type { MethodContext } from './method.ts';
import type { SimulationOutcome } from './simulation.ts';
import type { WorldIndex } from './world-index.ts';

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
  const { index } = context;
  const total = totalRequests(outcome, index);
  const pools = index.world.pools.filter(
    (pool) =>
      usablePool(pool.nodePool) &&
      pool.nodePool.metadata.name !== tried &&
      sellsCheaper(pool, total, candidate.price, index),
  );
  for (const { nodePool } of pools.toSorted((a, b) => byWeight(a.nodePool, b.nodePool))) {
    const alternative = context.simulate([candidate.node], true, nodePool.metadata.name);
    if (alternative.newNodeClaims.length === 1) yield alternative;
  }
}

/** Of everything that the packer would put on new nodes: also of pods that wait anyway, which can be thousands. */
function totalRequests({ newNodeClaims }: SimulationOutcome, index: WorldIndex): Resources {
  const total: Record<string, number> = { pods: 0 };
  for (const { pods } of newNodeClaims) {
    total.pods = (total.pods ?? 0) + pods.length * 1000;
    for (const pod of pods) {
      for (const [name, amount] of Object.entries(index.requestsOf(pod))) total[name] = (total[name] ?? 0) + amount;
    }
  }
  return total;
}

function sellsCheaper({ instanceTypes }: PoolAndTypes, total: Resources, price: number, index: WorldIndex): boolean {
  return instanceTypes.some((type) =>
    index.allocatables
      .of(type)
      .some(({ allocatable, offerings }) => offerings.some((o) => o.price < price) && fits(total, allocatable)),
  );
}
