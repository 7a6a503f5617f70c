import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../../../../apis/labels.ts';
import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../../scheduling/requirements.ts';
import { isReservedOffering, launchableOfferings, type ReservationKind, reservationKindOf } from '../offerings.ts';
import type { LaunchFilter } from './launch-filter.ts';

/** In the order in which they are taken at the same price. */
const KINDS: readonly ReservationKind[] = [
  { type: 'default', interruptible: false },
  { type: 'capacity-block', interruptible: false },
  { type: 'default', interruptible: true },
];

interface Partition {
  readonly kind: ReservationKind;
  readonly cheapest: number;
  readonly types: readonly InstanceType[];
}

/**
 * A fleet takes from one kind of reservation only: that of the cheapest reserved offering. Its types lose all other
 * offerings.
 */
export const capacityReservationTypeFilter: LaunchFilter = {
  name: 'capacity-reservation-type-filter',
  keep: (types, { requirements }) => {
    if (!requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_RESERVED)) return types;
    const partitions = KINDS.map((kind) => partitionOf(types, kind, requirements)).filter((p) => p.types.length > 0);
    const chosen = partitions.toSorted((a, b) => a.cheapest - b.cheapest)[0];
    if (!chosen) return types;
    return chosen.types.map((type) => ({
      ...type,
      offerings: type.offerings.filter((offering) => isReservedOffering(offering) && isOfKind(offering, chosen.kind)),
    }));
  },
};

function partitionOf(types: readonly InstanceType[], kind: ReservationKind, requirements: Requirements): Partition {
  let cheapest = Number.POSITIVE_INFINITY;
  const members = types.filter((type) => {
    const offerings = launchableOfferings(type, requirements).filter(
      (offering) => isReservedOffering(offering) && isOfKind(offering, kind),
    );
    cheapest = Math.min(cheapest, ...offerings.map(({ price }) => price));
    return offerings.length > 0;
  });
  return { kind, cheapest, types: members };
}

function isOfKind(
  offering: Parameters<typeof reservationKindOf>[0],
  { type, interruptible }: ReservationKind,
): boolean {
  const kind = reservationKindOf(offering);
  return kind.type === type && kind.interruptible === interruptible;
}
