import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Instance } from '../providers/contracts.ts';

/**
 * Its reservation is no longer the class's. A reserved instance may have become an on-demand one meanwhile, so EC2 is asked
 * again before that is said.
 */
export async function isReservationDrifted(
  instance: Instance,
  { status }: EC2NodeClass,
  lookAgain: () => Promise<Instance>,
): Promise<boolean> {
  const known = new Set((status?.capacityReservations ?? []).map(({ id }) => id));
  const isStrange = ({ capacityReservation: reservation }: Instance): boolean =>
    reservation !== undefined && !known.has(reservation.id);
  return isStrange(instance) && isStrange(await lookAgain());
}
