import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { formatTimestamp } from '../../../kube/timestamp.ts';
import type { CapacityReservationStatus, CapacityReservationType } from '../../apis/ec2-node-class.ts';

/** Nodes leave a capacity block so long before its end: ten minutes before EC2 begins to take them. */
const EXPIRING_MS = 40 * 60_000;

/**
 * A reservation as the status of a node class has it (aws-provider.md section 14).
 *
 * @param now epoch milliseconds.
 * @throws Error for one of a kind that is not supported.
 */
export function capacityReservationStatus(reservation: CapacityReservation, now: number): CapacityReservationStatus {
  const { CapacityReservationId: id = '', InstanceMatchCriteria: criteria, EndDate: end } = reservation;
  if (criteria !== 'open' && criteria !== 'targeted') {
    throw new Error(`capacity reservation ${id} has unsupported instance match criteria "${criteria ?? ''}"`);
  }
  const reservationType = reservationTypeOf(reservation);
  const isExpiring = reservationType === 'capacity-block' && end !== undefined && now >= end.getTime() - EXPIRING_MS;
  return {
    availabilityZone: reservation.AvailabilityZone ?? '',
    ...(end ? { endTime: formatTimestamp(end.getTime()) } : {}),
    id,
    instanceMatchCriteria: criteria,
    instanceType: reservation.InstanceType ?? '',
    ownerID: reservation.OwnerId ?? '',
    reservationType,
    interruptible: reservation.Interruptible ?? false,
    state: isExpiring ? 'expiring' : 'active',
  };
}

function reservationTypeOf({
  CapacityReservationId: id,
  ReservationType: type,
}: CapacityReservation): CapacityReservationType {
  if (!type) return 'default';
  if (type === 'default' || type === 'capacity-block') return type;
  throw new Error(`capacity reservation ${id} has unsupported reservation type "${type}"`);
}
