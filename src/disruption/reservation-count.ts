import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../apis/labels.ts';
import { isReserved } from '../scheduling/instance-offerings.ts';
import type { InstanceType, Offering } from '../scheduling/instance-type.ts';
import { Requirements } from '../scheduling/requirements.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';

export interface ReservationChange {
  /** Of the node that takes a reservation or gives it back; nodes of other capacity types change nothing. */
  readonly labels: Readonly<Record<string, string>>;
  /** How many more nodes the reservation has room for; negative when it is used. */
  readonly by: number;
}

/** Pools whose reserved offerings have as much room as nodes that came and went leave them. */
export function adjustReservations(
  pools: readonly PoolAndTypes[],
  changes: readonly ReservationChange[],
): readonly PoolAndTypes[] {
  const nodes = changes
    .filter(({ labels }) => labels[LABEL_CAPACITY_TYPE] === CAPACITY_TYPE_RESERVED)
    .map(({ labels, by }) => ({ labels: Requirements.fromLabels(labels), by }));
  if (nodes.length === 0) return pools;
  const types = new Map<InstanceType, InstanceType>();
  const adjusted = (type: InstanceType): InstanceType => {
    const known = types.get(type);
    if (known) return known;
    const result = type.offerings.some(isReserved)
      ? { ...type, offerings: type.offerings.map((offering) => adjustedOffering(offering, nodes)) }
      : type;
    types.set(type, result);
    return result;
  };
  return pools.map((pool) => ({ ...pool, instanceTypes: pool.instanceTypes.map(adjusted) }));
}

function adjustedOffering(
  offering: Offering,
  nodes: readonly { readonly labels: Requirements; readonly by: number }[],
): Offering {
  if (!isReserved(offering)) return offering;
  // The reservation's id is among what the offering requires.
  const by = nodes.reduce((sum, node) => sum + (node.labels.compatible(offering.requirements) ? node.by : 0), 0);
  return by === 0
    ? offering
    : { ...offering, reservationCapacity: Math.max(0, (offering.reservationCapacity ?? 0) + by) };
}
