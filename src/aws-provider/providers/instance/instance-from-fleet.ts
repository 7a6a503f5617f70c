import { CAPACITY_TYPE_RESERVED } from '../../../apis/labels.ts';
import { CreateError } from '../../../cloudprovider/errors.ts';
import type { CapacityReservationType } from '../../apis/ec2-node-class.ts';
import { RESOURCE_EFA } from '../../apis/labels.ts';
import { reasonMessage } from '../../aws-api/reason-message.ts';
import type { Instance } from '../contracts.ts';
import type { LaunchedInstance, LaunchPlan } from './launch.ts';
import { reservationIdOf, reservationKindOf } from './offerings.ts';
import { reservedOfferingOf } from './reserved-offering-of.ts';

/** Resources are counted in thousandths. */
const ONE = 1000;

/**
 * The instance that a fleet has launched, as far as its answer and the plan tell.
 *
 * @param launchTime epoch milliseconds: EC2 does not say it here.
 * @throws CreateError when EC2 does not tell what or where it is: no claim can have it, so that it is terminated later.
 */
export function instanceFromFleet(
  { fleetInstance, subnets, scope }: LaunchedInstance,
  plan: LaunchPlan,
  launchTime: number,
): Instance {
  const {
    ImageId: imageID = '',
    SubnetId: subnetID = '',
    AvailabilityZone: zone = zoneOf(subnetID, subnets),
  } = fleetInstance.LaunchTemplateAndOverrides?.Overrides ?? {};
  const { InstanceType: type = '', InstanceIds: [id = ''] = [] } = fleetInstance;
  if (!type || !zone) {
    const { reason, message } = reasonMessage(undefined);
    throw new CreateError(`the fleet does not tell type and zone of its instance ${id}`, reason, message);
  }
  return {
    id,
    state: 'pending',
    launchTime,
    imageID,
    type,
    zone,
    zoneID: subnets.get(zone)?.zoneID ?? '',
    capacityType: plan.capacityType,
    tenancy: plan.tenancy,
    securityGroupIDs: [],
    subnetID,
    tags: plan.tags,
    efaCount: efaCount(type, plan),
    ...(scope.placementGroupPartition === undefined ? {} : { partitionNumber: Number(scope.placementGroupPartition) }),
    ...reservation(type, zone, plan),
  };
}

const zoneOf = (subnetID: string, subnets: LaunchedInstance['subnets']): string =>
  [...subnets.values()].find(({ id }) => id === subnetID)?.zone ?? '';

/** The launch template has EFA interfaces only if the pods ask for them or the class lists its interfaces. */
function efaCount(instanceType: string, { nodeClaim, nodeClass, instanceTypes }: LaunchPlan): number {
  const isRequested = RESOURCE_EFA in (nodeClaim.spec.resources?.requests ?? {});
  if (!isRequested && !nodeClass.spec.networkInterfaces) return 0;
  const type = instanceTypes.find(({ name }) => name === instanceType);
  return (type?.capacity[RESOURCE_EFA] ?? 0) / ONE;
}

function reservation(
  instanceType: string,
  zone: string,
  { capacityType, instanceTypes }: LaunchPlan,
): Pick<Instance, 'capacityReservation'> {
  if (capacityType !== CAPACITY_TYPE_RESERVED) return {};
  const offering = reservedOfferingOf(instanceType, zone, instanceTypes);
  if (!offering) return {};
  const { type, interruptible } = reservationKindOf(offering);
  return {
    capacityReservation: { id: reservationIdOf(offering), type: type as CapacityReservationType, interruptible },
  };
}
