import type { FleetLaunchTemplateConfigRequest, FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2';
import { Requirement } from '../../../scheduling/requirement.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { LABEL_CAPACITY_RESERVATION_ID } from '../../apis/labels.ts';
import type { LaunchTemplate, SubnetForLaunch } from '../contracts.ts';
import { launchableOfferings, zoneOf } from './offerings.ts';

type SubnetsByZone = ReadonlyMap<string, SubnetForLaunch>;

/**
 * For each launch template, what may be launched from it: every offering that is open to the claim, in the subnet of its
 * zone (aws-provider.md 17.8). Templates for which there is nothing are left out.
 *
 * @param requirements narrowed to the capacity type of the launch.
 */
export function launchTemplateConfigs(
  templates: readonly LaunchTemplate[],
  subnets: SubnetsByZone,
  requirements: Requirements,
): FleetLaunchTemplateConfigRequest[] {
  return templates.flatMap((template) => {
    const Overrides = overridesOf(template, subnets, requirements);
    if (Overrides.length === 0) return [];
    return [{ Overrides, LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' } }];
  });
}

function overridesOf(
  { instanceTypes, imageID, capacityReservationID }: LaunchTemplate,
  subnets: SubnetsByZone,
  requirements: Requirements,
): FleetLaunchTemplateOverridesRequest[] {
  const narrowed = capacityReservationID ? withReservation(requirements, capacityReservationID) : requirements;
  return instanceTypes.flatMap((type) => {
    const zones = new Set<string>();
    return launchableOfferings(type, narrowed).flatMap((offering) => {
      const zone = zoneOf(offering);
      const subnet = subnets.get(zone);
      // Offerings of several partitions are alike here: the partition stands in the launch template.
      if (zones.has(zone) || !subnet) return [];
      zones.add(zone);
      return [
        {
          InstanceType: type.name as FleetLaunchTemplateOverridesRequest['InstanceType'],
          SubnetId: subnet.id,
          ImageId: imageID,
          // The subnet says it already; the answer repeats it, which spares looking the subnet up.
          AvailabilityZone: subnet.zone,
          Priority: offering.price,
        },
      ];
    });
  });
}

function withReservation(requirements: Requirements, id: string): Requirements {
  const result = new Requirements(requirements);
  result.add(Requirement.of(LABEL_CAPACITY_RESERVATION_ID, 'In', [id]));
  return result;
}
