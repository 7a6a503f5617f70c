import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE } from '../../../../apis/labels.ts';
import { capacityTypeOf, launchableOfferings } from '../offerings.ts';
import type { LaunchFilter } from './launch-filter.ts';

/** A claim that may be either is not launched as spot for more than the cheapest on-demand offering costs. */
export const spotOfferingFilter: LaunchFilter = {
  name: 'spot-offering-filter',
  keep: (types, { requirements }) => {
    const capacityType = requirements.get(LABEL_CAPACITY_TYPE);
    const allowsBoth = [CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT].every((value) => capacityType.has(value));
    if (requirements.hasMinValues() || !allowsBoth) return types;
    const offerings = types.flatMap((type) => launchableOfferings(type, requirements));
    const onDemand = offerings.filter((offering) => capacityTypeOf(offering) === CAPACITY_TYPE_ON_DEMAND);
    const hasSpot = offerings.some((offering) => capacityTypeOf(offering) === CAPACITY_TYPE_SPOT);
    if (onDemand.length === 0 || !hasSpot) return types;
    const limit = Math.min(...onDemand.map(({ price }) => price));
    return types.flatMap((type) => {
      const kept = type.offerings.filter(
        (offering) => capacityTypeOf(offering) !== CAPACITY_TYPE_SPOT || offering.price <= limit,
      );
      return kept.length > 0 ? [{ ...type, offerings: kept }] : [];
    });
  },
};
