import type {
  CapacityReservation,
  GroupIdentifier,
  Instance,
  InstanceNetworkInterface,
  Placement,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { FakeCloud } from './cloud.ts';
import { type Tags, toTags } from './filters.ts';
import { type Candidate, poolOfCandidate } from './fleet.ts';
import { targetReservation } from './refusal.ts';

/** Launches one instance; takes its capacity and its address. Answers its id. */
export function launchInstance(cloud: FakeCloud, candidate: Candidate, tags: Tags, reservationId: string): string {
  const { template, override, zone, market } = candidate;
  const { data } = template;
  const id = cloud.newId('i');
  const subnet = cloud.subnets.find(({ SubnetId }) => SubnetId === override.SubnetId);
  if (subnet) subnet.AvailableIpAddressCount = (subnet.AvailableIpAddressCount ?? 0) - 1;
  const pool = poolOfCandidate(candidate);
  const left = cloud.capacity.get(pool);
  if (left !== undefined) cloud.capacity.set(pool, left - 1);
  const reservation = reservationFor(cloud, candidate);
  if (reservation) reservation.AvailableInstanceCount = (reservation.AvailableInstanceCount ?? 0) - 1;

  const instance: Instance = {
    InstanceId: id,
    ImageId: override.ImageId ?? data.ImageId,
    InstanceType: override.InstanceType,
    LaunchTime: new Date(cloud.clock.now() + cloud.clockAhead),
    PrivateDnsName: privateDnsName(cloud, id),
    SubnetId: override.SubnetId,
    VpcId: subnet?.VpcId,
    Placement: placement(cloud, data, zone),
    SecurityGroups: securityGroups(cloud, data),
    NetworkInterfaces: networkInterfaces(data),
    ...(data.IamInstanceProfile?.Name && {
      IamInstanceProfile: { Arn: `arn:aws:iam::123456789012:instance-profile/${data.IamInstanceProfile.Name}` },
    }),
    ...(market === 'spot' && { SpotInstanceRequestId: cloud.newId('sir'), InstanceLifecycle: 'spot' }),
    ...(market === 'capacity-block' && { InstanceLifecycle: 'capacity-block' }),
    ...(market === 'reserved-capacity' && { InstanceLifecycle: 'interruptible-capacity-reservation' }),
    ...(reservation && { CapacityReservationId: reservation.CapacityReservationId }),
    CapacityReservationSpecification: {
      CapacityReservationPreference: data.CapacityReservationSpecification?.CapacityReservationPreference ?? 'open',
    },
    Tags: toTags(tags),
  };
  cloud.launched({ data: instance, launchedAt: cloud.clock.now(), reservationId });
  return id;
}

/** That which the template asks for; a launch that has nothing against it lands in any open one that fits. */
function reservationFor(cloud: FakeCloud, candidate: Candidate): CapacityReservation | undefined {
  const target = targetReservation(cloud, candidate);
  const preference = candidate.template.data.CapacityReservationSpecification?.CapacityReservationPreference;
  if (target || candidate.market === 'spot' || preference === 'none') return target;
  return cloud.capacityReservations.find(
    (reservation) =>
      reservation.InstanceMatchCriteria === 'open' &&
      reservation.InstanceType === candidate.instanceType &&
      reservation.AvailabilityZone === candidate.zone &&
      (reservation.AvailableInstanceCount ?? 0) > 0,
  );
}

function placement(cloud: FakeCloud, { Placement: asked }: RequestLaunchTemplateData, zone: string): Placement {
  const group = cloud.placementGroups.find(({ GroupId }) => GroupId === asked?.GroupId);
  const isPartitioned = group?.Strategy === 'partition';
  return {
    AvailabilityZone: zone,
    AvailabilityZoneId: cloud.zones.get(zone),
    Tenancy: asked?.Tenancy ?? 'default',
    ...(group && { GroupId: group.GroupId, GroupName: group.GroupName }),
    ...(isPartitioned && {
      PartitionNumber: asked?.PartitionNumber ?? 1 + (cloud.instances.size % (group.PartitionCount ?? 1)),
    }),
  };
}

function securityGroups(cloud: FakeCloud, data: RequestLaunchTemplateData): GroupIdentifier[] {
  const ids = data.NetworkInterfaces?.[0]?.Groups ?? data.SecurityGroupIds ?? [];
  return ids.map((id) => ({
    GroupId: id,
    GroupName: cloud.securityGroups.find(({ GroupId }) => GroupId === id)?.GroupName,
  }));
}

function networkInterfaces({ NetworkInterfaces }: RequestLaunchTemplateData): InstanceNetworkInterface[] {
  return (NetworkInterfaces ?? []).map(({ InterfaceType = 'interface', NetworkCardIndex = 0, DeviceIndex = 0 }) => ({
    InterfaceType,
    Attachment: { NetworkCardIndex, DeviceIndex },
  }));
}

function privateDnsName({ region }: FakeCloud, id: string): string {
  const number = Number.parseInt(id.slice('i-'.length), 16);
  return `ip-10-0-${Math.trunc(number / 256) % 256}-${number % 256}.${region}.compute.internal`;
}
