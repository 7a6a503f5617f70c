import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { ArcZonalShiftApi } from '../../aws-api/apis.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { ZonalShiftProvider } from '../contracts.ts';

export interface ZonalShiftProviderDeps {
  readonly arcZonalShift: ArcZonalShiftApi;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of which the shifts are asked for. */
  readonly clusterARN: string;
}

interface Shift {
  /** Epoch milliseconds. */
  readonly expiry: number;
  readonly isApplied: boolean;
}

/**
 * The zones that traffic is shifted away from (aws-provider.md section 27): those whose shift is applied and has not expired.
 * Nothing is known until the first `update`, which is made before any controller runs.
 */
export class ArcZonalShiftProvider implements ZonalShiftProvider {
  readonly #deps: ZonalShiftProviderDeps;
  /** By zone id. */
  readonly #shifts = new Map<string, Shift>();

  constructor(deps: ZonalShiftProviderDeps) {
    this.#deps = deps;
  }

  isShifted(zoneID: string): boolean {
    const shift = this.#shifts.get(zoneID);
    return shift?.isApplied === true && shift.expiry > this.#deps.clock.now();
  }

  shiftedZones(): ReadonlySet<string> {
    return new Set([...this.#shifts.keys()].filter((zoneID) => this.isShifted(zoneID)));
  }

  /** A zone that EC2 no longer names stays shifted until its shift expires, unless there is no shift at all any more. */
  async update(signal?: AbortSignal): Promise<void> {
    const { arcZonalShift, clusterARN, log } = this.#deps;
    const { zonalShifts = [] } = await arcZonalShift
      .getManagedResource({ resourceIdentifier: clusterARN }, signal ? { signal } : {})
      .catch((error: unknown) => {
        throw wrappedError('getting zonal shifts', error);
      });
    if (zonalShifts.length === 0) this.#shifts.clear();
    for (const { awayFrom, expiryTime, appliedStatus } of zonalShifts) {
      this.#shifts.set(awayFrom, { expiry: expiryTime * 1000, isApplied: appliedStatus === 'APPLIED' });
    }
    log.debug('successfully updated zonal shifts', { 'zonal-shifts': zonalShifts });
  }
}

const NO_ZONES: ReadonlySet<string> = new Set();

/** For clusters whose zonal shifts Karpenter does not follow. */
export const NO_ZONAL_SHIFTS: ZonalShiftProvider = {
  isShifted: () => false,
  shiftedZones: () => NO_ZONES,
  update: async () => {},
};
