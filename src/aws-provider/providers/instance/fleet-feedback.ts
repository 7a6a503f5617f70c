import type { CreateFleetError } from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Recorder } from '../../../events/recorder.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { Metrics } from '../../../metrics/metrics.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { reasonMessage } from '../../aws-api/reason-message.ts';
import type {
  CapacityReservationProvider,
  PlacementGroupScope,
  SubnetForLaunch,
  SubnetProvider,
  UnavailableOfferings,
} from '../contracts.ts';
import { spotRoleMissing } from './events.ts';
import { isSpreadGroupFull, isSubnetFull, isUnfulfillable, lacksSpotRole, textOf } from './fleet-errors.ts';
import { reservationIdOf } from './offerings.ts';
import { reservedOfferingOf } from './reserved-offering-of.ts';

export interface FleetFeedbackDeps {
  readonly unavailableOfferings: UnavailableOfferings;
  readonly subnets: Pick<SubnetProvider, 'updateICEdSubnet'>;
  readonly capacityReservations: Pick<CapacityReservationProvider, 'markUnavailable'>;
  readonly recorder: Recorder;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** A launch that EC2 has answered. */
export interface AnsweredLaunch {
  readonly nodeClaim: NodeClaim;
  readonly capacityType: string;
  readonly instanceTypes: readonly InstanceType[];
  readonly subnets: ReadonlyMap<string, SubnetForLaunch>;
  readonly fleetID?: string;
  readonly scope: PlacementGroupScope;
}

interface Where {
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetID: string;
}

/** Remembers what a fleet could not launch, so that the next ones don't ask for it (aws-provider.md section 20). */
export class FleetFeedback {
  readonly #deps: FleetFeedbackDeps;

  constructor(deps: FleetFeedbackDeps) {
    this.#deps = deps;
  }

  take(errors: readonly CreateFleetError[], launch: AnsweredLaunch): void {
    for (const error of errors) this.#count(error, launch);
    if (launch.capacityType === CAPACITY_TYPE_RESERVED) {
      this.#closeReservations(errors, launch);
      return;
    }
    for (const error of errors) {
      if (isUnfulfillable(error)) this.#closeOffering(error, launch);
      if (!lacksSpotRole(error)) continue;
      this.#deps.unavailableOfferings.markCapacityTypeUnavailable(CAPACITY_TYPE_SPOT);
      this.#deps.recorder.publish(spotRoleMissing(launch.nodeClaim));
    }
  }

  #count(error: CreateFleetError, { capacityType, subnets: byZone }: AnsweredLaunch): void {
    const { metrics, unavailableOfferings, subnets } = this.#deps;
    const { zone, subnetID } = whereOf(error);
    const { reason } = reasonMessage(new Error(textOf(error)));
    const zoneID = byZone.get(zone)?.zoneID ?? '';
    metrics.count('cloudprovider_instance_launch_failures_total', {
      zone,
      zone_id: zoneID,
      capacity_type: capacityType,
      reason,
    });
    if (!isSubnetFull(error) || subnetID === '') return;
    unavailableOfferings.markSubnetUnavailable(subnetID);
    subnets.updateICEdSubnet(subnetID);
  }

  #closeOffering(error: CreateFleetError, { capacityType, instanceTypes, fleetID, scope }: AnsweredLaunch): void {
    const { unavailableOfferings, log } = this.#deps;
    const { instanceType, zone } = whereOf(error);
    const reason = { reason: error.ErrorCode ?? '', ...(fleetID ? { fleetID } : {}) };
    const { placementGroupID } = scope;
    if (!isSpreadGroupFull(error) || !placementGroupID) {
      unavailableOfferings.markUnavailable(instanceType, zone, capacityType, reason, scope);
      return;
    }
    log.debug(
      'spread placement group availability zone limit reached, marking all instance types unavailable for this placement group in availability zone',
      { 'placement-group-id': placementGroupID, zone },
    );
    for (const { name } of instanceTypes) {
      unavailableOfferings.markUnavailable(name, zone, capacityType, reason, { placementGroupID });
    }
  }

  #closeReservations(errors: readonly CreateFleetError[], { instanceTypes }: AnsweredLaunch): void {
    const { capacityReservations, log } = this.#deps;
    const ids = errors.flatMap((error) => {
      if (!isUnfulfillable(error) || isSpreadGroupFull(error)) return [];
      const { instanceType, zone } = whereOf(error);
      const offering = reservedOfferingOf(instanceType, zone, instanceTypes);
      if (!offering) return [];
      const id = reservationIdOf(offering);
      log.debug('marking capacity reservation unavailable', {
        reason: error.ErrorCode,
        'instance-type': instanceType,
        zone,
        'capacity-reservation-id': id,
      });
      return [id];
    });
    if (ids.length > 0) capacityReservations.markUnavailable(...ids);
  }
}

function whereOf({ LaunchTemplateAndOverrides }: CreateFleetError): Where {
  const { InstanceType = '', AvailabilityZone = '', SubnetId = '' } = LaunchTemplateAndOverrides?.Overrides ?? {};
  return { instanceType: InstanceType, zone: AvailabilityZone, subnetID: SubnetId };
}
