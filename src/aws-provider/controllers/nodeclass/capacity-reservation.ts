import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { combinedError } from '../../../controllers/combined-error.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import type { Logger } from '../../../logging/logger.ts';
import { CAPACITY_RESERVATIONS_READY } from '../../apis/condition-types.ts';
import type { CapacityReservationStatus } from '../../apis/ec2-node-class.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import { capacityReservationStatus } from '../../providers/capacity-reservation/reservation-status.ts';
import type { CapacityReservationProvider } from '../../providers/contracts.ts';
import type { NodeClassDraft, NodeClassReconciler } from './draft.ts';

export interface CapacityReservationReconcilerDeps {
  readonly capacityReservations: Pick<CapacityReservationProvider, 'list'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const POLL_MS = 60_000;
/** For one that has ended and that EC2 still lists. */
const ENDED_MS = 1_000;

/** Finds the capacity reservations of a class; it is ready without any. */
export class CapacityReservationReconciler implements NodeClassReconciler {
  readonly #deps: CapacityReservationReconcilerDeps;
  readonly #changes: ChangeMonitor;

  constructor(deps: CapacityReservationReconcilerDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<ReconcileResult> {
    const { name } = draft.nodeClass.metadata;
    const reservations = (await this.#list(draft, signal)).toSorted(byId);
    const ids = reservations.map(({ CapacityReservationId }) => CapacityReservationId);
    if (ids.length > 0 && this.#changes.hasChanged(name, ids)) {
      this.#deps.log.debug('discovered capacity reservations', { ids });
    }
    const statuses = this.#statuses(reservations);
    draft.set('capacityReservations', statuses.length > 0 ? statuses : undefined);
    draft.conditions.setTrue(CAPACITY_RESERVATIONS_READY);
    return { requeueAfter: this.#untilNextEnd(reservations) };
  }

  async #list({ nodeClass }: NodeClassDraft, signal: AbortSignal): Promise<readonly CapacityReservation[]> {
    const terms = nodeClass.spec.capacityReservationSelectorTerms ?? [];
    try {
      return await this.#deps.capacityReservations.list(terms, signal);
    } catch (error) {
      throw wrappedError('getting capacity reservations', error);
    }
  }

  /** One that can't be understood is left out. */
  #statuses(reservations: readonly CapacityReservation[]): readonly CapacityReservationStatus[] {
    const { clock, log } = this.#deps;
    const errors: unknown[] = [];
    const statuses = reservations.flatMap((reservation) => {
      try {
        return capacityReservationStatus(reservation, clock.now());
      } catch (error) {
        errors.push(error);
        return [];
      }
    });
    if (errors.length > 0) {
      const counts = { 'error-count': errors.length, 'total-count': reservations.length };
      log.error('failed to parse discovered capacity reservations', combinedError(errors), counts);
    }
    return statuses;
  }

  #untilNextEnd(reservations: readonly CapacityReservation[]): number {
    const ends = reservations.flatMap(({ EndDate }) => (EndDate ? EndDate.getTime() - this.#deps.clock.now() : []));
    return Math.max(Math.min(POLL_MS, ...ends), ENDED_MS);
  }
}

function byId({ CapacityReservationId: a = '' }: CapacityReservation, b: CapacityReservation): number {
  return a < (b.CapacityReservationId ?? '') ? -1 : 1;
}
