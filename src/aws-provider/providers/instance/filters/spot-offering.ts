import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE } from '../../../../apis/labels.ts';
import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../../scheduling/requirements.ts';
import { allows, capacityTypeOf } from '../offerings.ts';
import type { LaunchFilter } from './launch-filter.ts';

/** A claim that may be either is not launched as spot for more than the cheapest on-demand offering costs. */
export const spotOfferingFilter: LaunchFilter = {
  name: 'spot-offering-filter',
  keep: (types, { requirements }) => {
    const capacityType = requirements.get(LABEL_CAPACITY_TYPE);
    const allowsBoth = [CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT].every((value) => capacityType.has(value));
    if (requirements.hasMinValues() || !allowsBoth) return types;
    const limit = cheapestOnDemand(types, requirements);
    if (limit === undefined) return types;
    return types.flatMap((type) => {
      const kept = type.offerings.filter(
        (offering) => offering.price <= limit || capacityTypeOf(offering) !== CAPACITY_TYPE_SPOT,
      );
      if (kept.length === type.offerings.length) return [type];
      return kept.length > 0 ? [{ ...type, offerings: kept }] : [];
    });
  },
};

/** Of the offerings that the claim allows; undefined unless some of them are spot, to be compared with it. */
function cheapestOnDemand(types: readonly InstanceType[], requirements: Requirements): number | undefined {
  let cheapest: number | undefined;
  let hasSpot = false;
  for (const { offerings } of types) {
    for (const offering of offerings) {
      if (!offering.available || !allows(requirements, offering)) continue;
      const capacityType = capacityTypeOf(offering);
      if (capacityType === CAPACITY_TYPE_SPOT) hasSpot = true;
      if (capacityType !== CAPACITY_TYPE_ON_DEMAND) continue;
      if (cheapest === undefined || offering.price < cheapest) cheapest = offering.price;
    }
  }
  return hasSpot ? cheapest : undefined;
}
