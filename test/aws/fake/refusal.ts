import type { CapacityReservation } from '@aws-sdk/client-ec2';
import type { FakeCloud, FleetFailure } from './cloud.ts';
import { type Candidate, poolOfCandidate } from './fleet.ts';

/** Why EC2 does not launch one more of this, if it does not. */
export function refusalOf(cloud: FakeCloud, candidate: Candidate): FleetFailure | undefined {
  return (
    unknownPart(cloud, candidate) ??
    cloud.poolFailures.get(poolOfCandidate(candidate)) ??
    noAddress(cloud, candidate) ??
    noReservation(cloud, candidate) ??
    noCapacity(cloud, candidate) ??
    fullSpreadGroup(cloud, candidate)
  );
}

function unknownPart(cloud: FakeCloud, { override, template, instanceType }: Candidate): FleetFailure | undefined {
  const image = override.ImageId ?? template.data.ImageId;
  if (!cloud.instanceTypes.some(({ InstanceType }) => InstanceType === instanceType)) {
    return { code: 'InvalidParameterValue', message: `Invalid value '${instanceType}' for InstanceType.` };
  }
  if (!cloud.images.some(({ ImageId }) => ImageId === image)) {
    return { code: 'InvalidAMIID.NotFound', message: `The image id '[${image}]' does not exist` };
  }
  if (!cloud.subnets.some(({ SubnetId }) => SubnetId === override.SubnetId)) {
    return { code: 'InvalidSubnetID.NotFound', message: `The subnet ID '${override.SubnetId}' does not exist` };
  }
  const profile = template.data.IamInstanceProfile?.Name;
  if (profile !== undefined && !cloud.knowsProfile(profile)) {
    const message = `Value (${profile}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`;
    return { code: 'InvalidParameterValue', message };
  }
  return undefined;
}

function noAddress(cloud: FakeCloud, { override }: Candidate): FleetFailure | undefined {
  const subnet = cloud.subnets.find(({ SubnetId }) => SubnetId === override.SubnetId);
  if ((subnet?.AvailableIpAddressCount ?? 0) > 0) return undefined;
  return {
    code: 'InsufficientFreeAddressesInSubnet',
    message: `There are not enough free addresses in subnet '${override.SubnetId}' to satisfy the requested number of instances.`,
  };
}

/** The reservation that a launch template asks for. */
export function targetReservation(cloud: FakeCloud, { template }: Candidate): CapacityReservation | undefined {
  const id = template.data.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId;
  return cloud.capacityReservations.find(({ CapacityReservationId }) => CapacityReservationId === id);
}

function noReservation(cloud: FakeCloud, candidate: Candidate): FleetFailure | undefined {
  const specification = candidate.template.data.CapacityReservationSpecification;
  if (!specification?.CapacityReservationTarget) return undefined;
  const reservation = targetReservation(cloud, candidate);
  const fits = reservation?.InstanceType === candidate.instanceType && reservation.AvailabilityZone === candidate.zone;
  if (fits && (reservation.AvailableInstanceCount ?? 0) > 0) return undefined;
  return {
    code: 'ReservationCapacityExceeded',
    message: 'The requested reservation does not have sufficient compatible and available capacity for this request.',
  };
}

function noCapacity(cloud: FakeCloud, candidate: Candidate): FleetFailure | undefined {
  const { instanceType, zone } = candidate;
  const isSold = !(cloud.notSoldIn.get(instanceType) ?? []).includes(zone);
  if (!isSold) {
    return {
      code: 'Unsupported',
      message: `Your requested instance type (${instanceType}) is not supported in your requested Availability Zone (${zone}).`,
    };
  }
  if ((cloud.capacity.get(poolOfCandidate(candidate)) ?? 1) > 0) return undefined;
  return {
    code: 'InsufficientInstanceCapacity',
    message: `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}).`,
  };
}

const SPREAD_LIMIT = 7;

function fullSpreadGroup(cloud: FakeCloud, { template, zone }: Candidate): FleetFailure | undefined {
  const groupId = template.data.Placement?.GroupId;
  const group = cloud.placementGroups.find(({ GroupId }) => GroupId === groupId);
  if (group?.Strategy !== 'spread') return undefined;
  const members = [...cloud.instances.values()].filter(
    ({ data, terminatedAt }) =>
      data.Placement?.GroupId === groupId && data.Placement?.AvailabilityZone === zone && terminatedAt === undefined,
  );
  if (members.length < SPREAD_LIMIT) return undefined;
  return {
    code: 'InsufficientInstanceCapacity',
    message:
      "You've reached the limit of instances in this spread placement group. A spread placement group can have up to seven instances per Availability Zone.",
  };
}
