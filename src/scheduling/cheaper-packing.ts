/** When another way to pack is worth a try, and whether it was. */
import { CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE } from '../apis/labels.ts';
import { cheapestPrice, compatibleOfferings } from './instance-offerings.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import { SPOT } from './keep-spot.ts';
import type { PlannedNodeClaim, Results, World } from './types.ts';

/**
 * Some claim may be spot and is not, because it was filled until only types without a spot offering could hold its pods,
 * though its pool sells others.
 */
export function hasLostSpot(results: Results, world: World, wellKnown: ReadonlySet<string>): boolean {
  const spotTypes = new Map(
    world.pools.map((pool) => [pool.nodePool.metadata.name, pool.instanceTypes.filter(sellsSpot)]),
  );
  return results.newNodeClaims.some(({ instanceTypes, nodePool, requirements }) => {
    const types = spotTypes.get(nodePool.metadata.name) ?? [];
    if (types.length === 0 || !requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_SPOT)) return false;
    const fits = (type: InstanceType): boolean => compatibleOfferings(type, requirements, wellKnown).some(isSpot);
    return !instanceTypes.some(fits) && types.some(fits);
  });
}

const isSpot = ({ requirements }: Offering): boolean => requirements.get(LABEL_CAPACITY_TYPE).overlaps(SPOT);
const sellsSpot = ({ offerings }: InstanceType): boolean => offerings.some((o) => o.available && isSpot(o));

/** The other results, when they leave no more pods without a place, and cost less. */
export function cheaperOf(results: Results, other: Results, wellKnown: ReadonlySet<string>): Results {
  if (other.podErrors.size > results.podErrors.size || other.timedOut) return results;
  return total(other, wellKnown) < total(results, wellKnown) ? other : results;
}

function total({ newNodeClaims }: Results, wellKnown: ReadonlySet<string>): number {
  return newNodeClaims.reduce((sum, claim) => sum + price(claim, wellKnown), 0);
}

function price({ instanceTypes: [first], requirements }: PlannedNodeClaim, wellKnown: ReadonlySet<string>): number {
  return first ? cheapestPrice(first, requirements, wellKnown) : 0;
}
