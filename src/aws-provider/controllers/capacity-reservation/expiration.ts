import type { CapacityReservation } from '@aws-sdk/client-ec2';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { inParallel } from '../../../controllers/in-parallel.ts';
import { isManagedClaim } from '../../../controllers/managed.ts';
import { type ControllerSpec, type ReconcileResult, reads } from '../../../kube/controller.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { LABEL_CAPACITY_RESERVATION_ID } from '../../apis/labels.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { capacityReservationStatus } from '../../providers/capacity-reservation/reservation-status.ts';
import type { CapacityReservationProvider } from '../../providers/contracts.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'cloud' | 'clock' | 'log'> & {
  readonly capacityReservations: Pick<CapacityReservationProvider, 'list'>;
};

const PERIOD_MS = 60_000;
const PARALLEL = 10;

/**
 * Deletes the claims of capacity blocks that end in 40 minutes, so that their pods move in good order: EC2 takes the instances
 * ten minutes later (aws-provider.md section 14).
 */
export class CapacityReservationExpiration implements ControllerSpec {
  readonly name = 'capacityreservation.expiration';
  readonly watches = [reads(NodeClaims)];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { nodeClaims, cloud, capacityReservations } = this.#deps;
    const claims = nodeClaims
      .list()
      .filter((claim) => reservationOf(claim) && !claim.metadata.deletionTimestamp && isManagedClaim(cloud, claim));
    const ids = new Set(claims.map(reservationOf));
    const reservations = await capacityReservations
      .list(
        [...ids].map((id) => ({ id })),
        signal,
      )
      .catch((error: unknown) => {
        throw wrappedError('getting capacity reservations', error);
      });
    const expiring = new Set(
      reservations.filter((one) => this.#isExpiring(one)).map((one) => one.CapacityReservationId),
    );
    const toDelete = claims.filter((claim) => expiring.has(reservationOf(claim)));
    await inParallel(PARALLEL, toDelete, (claim) => this.#delete(claim, signal)).catch((error: unknown) => {
      throw wrappedError('deleting nodeclaims', error);
    });
    return { requeueAfter: PERIOD_MS };
  }

  #isExpiring(reservation: CapacityReservation): boolean {
    const { clock, log } = this.#deps;
    try {
      return capacityReservationStatus(reservation, clock.now()).state === 'expiring';
    } catch (error) {
      const id = reservation.CapacityReservationId;
      log.error('failed to parse capacity reservation', error, { 'capacity-reservation-id': id });
      return false;
    }
  }

  async #delete(claim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { nodeClaims, log } = this.#deps;
    try {
      await nodeClaims.delete(claim, signal);
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    log.info('initiating delete for capacity block expiration', {
      NodeClaim: { name: claim.metadata.name },
      'capacity-reservation-id': reservationOf(claim),
    });
  }
}

const reservationOf = ({ metadata }: NodeClaim): string => metadata.labels?.[LABEL_CAPACITY_RESERVATION_ID] ?? '';
