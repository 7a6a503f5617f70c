import { LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';

/** The pods of the smallest type that can be bought in the zone: so many addresses a launch there needs at least. */
export function fewestPods(instanceTypes: readonly InstanceType[], capacityType: string, zone: string): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { offerings, capacity } of instanceTypes) {
    const pods = (capacity.pods ?? 0) / 1000;
    if (pods >= fewest) continue;
    const isOnSale = offerings.some(
      ({ available, requirements }) =>
        available && requirements.get(LABEL_CAPACITY_TYPE).has(capacityType) && requirements.get(LABEL_ZONE).has(zone),
    );
    if (isOnSale) fewest = pods;
  }
  return Number.isFinite(fewest) ? fewest : 0;
}
