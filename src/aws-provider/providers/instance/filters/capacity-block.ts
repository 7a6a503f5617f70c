import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../../../../apis/labels.ts';
import type { InstanceType, Offering } from '../../../../scheduling/instance-type.ts';
import { isReservedOffering, launchableOfferings, reservationKindOf } from '../offerings.ts';
import type { LaunchFilter } from './launch-filter.ts';

const isBlock = (offering: Offering): boolean =>
  isReservedOffering(offering) && reservationKindOf(offering).type === 'capacity-block';

/** A fleet takes one capacity block only: the cheapest. Without one that is on sale, others are taken as they are. */
export const capacityBlockFilter: LaunchFilter = {
  name: 'capacity-block-filter',
  keep: (types, { requirements }) => {
    if (!requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_RESERVED)) return types;
    let chosen: { readonly type: InstanceType; readonly offering: Offering } | undefined;
    for (const type of types) {
      for (const offering of launchableOfferings(type, requirements).filter(isBlock)) {
        if (!chosen || offering.price < chosen.offering.price) chosen = { type, offering };
      }
    }
    return chosen ? [{ ...chosen.type, offerings: [chosen.offering] }] : types;
  },
};
