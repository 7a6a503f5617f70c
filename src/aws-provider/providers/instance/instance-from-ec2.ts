import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT } from '../../../apis/labels.ts';
import { tagsOf } from '../../aws-api/tags.ts';
import type { Instance } from '../contracts.ts';

const EFA_TYPES: ReadonlySet<string | undefined> = new Set(['efa', 'efa-only']);

/**
 * What DescribeInstances tells of an instance (aws-provider.md sections 14 and 19).
 *
 * @param reservedCapacity the feature gate: without it no instance is seen as reserved.
 */
export function instanceFromEc2(instance: Ec2Instance, reservedCapacity: boolean): Instance {
  const capacityType = capacityTypeOf(instance, reservedCapacity);
  const { Placement: placement, InstanceLifecycle: lifecycle, CapacityReservationId: reservation = '' } = instance;
  return {
    id: instance.InstanceId ?? '',
    state: instance.State?.Name ?? '',
    launchTime: instance.LaunchTime?.getTime() ?? 0,
    imageID: instance.ImageId ?? '',
    type: instance.InstanceType ?? '',
    zone: placement?.AvailabilityZone ?? '',
    zoneID: placement?.AvailabilityZoneId ?? '',
    capacityType,
    tenancy: placement?.Tenancy || 'default',
    securityGroupIDs: (instance.SecurityGroups ?? []).map(({ GroupId = '' }) => GroupId),
    subnetID: instance.SubnetId ?? '',
    tags: tagsOf(instance.Tags),
    efaCount: (instance.NetworkInterfaces ?? []).filter(({ InterfaceType }) => EFA_TYPES.has(InterfaceType)).length,
    ...(placement?.PartitionNumber ? { partitionNumber: placement.PartitionNumber } : {}),
    ...(capacityType === CAPACITY_TYPE_RESERVED && {
      capacityReservation: {
        id: reservation,
        type: lifecycle === 'capacity-block' ? 'capacity-block' : 'default',
        interruptible: lifecycle === 'interruptible-capacity-reservation',
      },
    }),
  };
}

/** One that landed in an open reservation without having asked for it stays on demand. */
function capacityTypeOf(instance: Ec2Instance, reservedCapacity: boolean): string {
  if (instance.SpotInstanceRequestId !== undefined) return CAPACITY_TYPE_SPOT;
  const { CapacityReservationId: id, CapacityReservationSpecification: asked } = instance;
  const isReserved = id !== undefined && asked?.CapacityReservationPreference === 'capacity-reservations-only';
  return reservedCapacity && isReserved ? CAPACITY_TYPE_RESERVED : CAPACITY_TYPE_ON_DEMAND;
}
