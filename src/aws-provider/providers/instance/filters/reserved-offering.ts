import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../../../../apis/labels.ts';
import type { Offering } from '../../../../scheduling/instance-type.ts';
import { isReservedOffering, launchableOfferings, zoneOf } from '../offerings.ts';
import type { LaunchFilter } from './launch-filter.ts';

/** A fleet takes one reservation per type and zone only: that with the most left. Types without one are left out. */
export const reservedOfferingFilter: LaunchFilter = {
  name: 'reserved-offering-filter',
  keep: (types, { requirements }) => {
    if (!requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_RESERVED)) return types;
    const kept = types.flatMap((type) => {
      const byZone = new Map<string, Offering>();
      for (const offering of launchableOfferings(type, requirements).filter(isReservedOffering)) {
        const current = byZone.get(zoneOf(offering));
        if (!current || left(offering) > left(current)) byZone.set(zoneOf(offering), offering);
      }
      return byZone.size > 0 ? [{ ...type, offerings: [...byZone.values()] }] : [];
    });
    return kept.length > 0 ? kept : types;
  },
};

const left = ({ reservationCapacity = 0 }: Offering): number => reservationCapacity;
