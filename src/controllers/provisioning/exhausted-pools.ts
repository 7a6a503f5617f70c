import type { NodePool } from '../../apis/node-pool.ts';
import { templateRequirements } from '../../scheduling/node-pool-template.ts';
import { usablePool } from '../../scheduling/node-pool-templates.ts';
import type { PoolAndTypes } from '../../scheduling/types.ts';

/** Usable pools whose own requirements leave no type that is for sale: nothing will ever come of them. */
export function exhaustedPools(pools: readonly PoolAndTypes[]): readonly NodePool[] {
  return pools
    .filter(({ nodePool, instanceTypes }) => {
      if (!usablePool(nodePool) || instanceTypes.length === 0) return false;
      const requirements = templateRequirements(nodePool);
      return !instanceTypes.some(
        (type) =>
          type.requirements.intersects(requirements) &&
          type.offerings.some((offering) => offering.available && offering.requirements.intersects(requirements)),
      );
    })
    .map(({ nodePool }) => nodePool);
}
