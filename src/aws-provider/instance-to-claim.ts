import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { ResourceList } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { allocatable } from '../scheduling/instance-offerings.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { toResourceList } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import type { EC2NodeClass } from './apis/ec2-node-class.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_INSTANCE_TENANCY,
  LABEL_PLACEMENT_GROUP_ID,
  LABEL_PLACEMENT_GROUP_PARTITION,
  LABEL_ZONE_ID,
  RESOURCE_EFA,
} from './apis/labels.ts';
import { providerIdOf } from './apis/provider-id.ts';
import type { Instance, PlacementGroup } from './providers/contracts.ts';

type Labels = Readonly<Record<string, string>>;

/** What is known around an instance; for one that nobody remembers, nothing. */
export interface InstanceSurroundings {
  readonly instanceType?: InstanceType | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
  readonly placementGroup?: PlacementGroup | undefined;
}

/** Told by the instance itself: the type has a value whether the instance is reserved or not. */
const OF_THE_RESERVATION: ReadonlySet<string> = new Set([
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
]);
const ENDING: ReadonlySet<string> = new Set(['shutting-down', 'terminated']);

/** An instance as core wants to see it (aws-provider.md 17.12). @param now epoch milliseconds. */
export function instanceToClaim(instance: Instance, surroundings: InstanceSurroundings, now: number): NodeClaim {
  const { instanceType } = surroundings;
  const shown = (amounts: Resources): ResourceList => toResourceList(shownResources(amounts, instance));
  const nodePool = instance.tags[LABEL_NODEPOOL];
  return {
    metadata: {
      name: '',
      labels: {
        ...(instanceType ? singleValues(instanceType) : {}),
        [LABEL_ZONE]: instance.zone,
        ...zoneIdLabel(instance, surroundings),
        [LABEL_CAPACITY_TYPE]: instance.capacityType,
        [LABEL_INSTANCE_TENANCY]: instance.tenancy,
        ...reservationLabels(instance),
        ...placementLabels(instance, surroundings),
        ...(nodePool === undefined ? {} : { [LABEL_NODEPOOL]: nodePool }),
      },
      annotations: {},
      creationTimestamp: formatTimestamp(instance.launchTime),
      ...(ENDING.has(instance.state) ? { deletionTimestamp: formatTimestamp(now) } : {}),
    },
    spec: { requirements: [], nodeClassRef: { group: '', kind: '', name: '' } },
    status: {
      providerID: providerIdOf(instance),
      imageID: instance.imageID,
      ...(instanceType
        ? { capacity: shown(instanceType.capacity), allocatable: shown(allocatable(instanceType)) }
        : {}),
    },
  };
}

function singleValues({ requirements }: InstanceType): Labels {
  const labels: Record<string, string> = {};
  for (const { key, complement, values } of requirements) {
    const [value, ...more] = values;
    if (complement || value === undefined || more.length > 0 || OF_THE_RESERVATION.has(key)) continue;
    labels[key] = value;
  }
  return labels;
}

/** The class knows the id of the zone by its subnets. */
function zoneIdLabel({ zone }: Instance, { nodeClass }: InstanceSurroundings): Labels {
  const subnet = nodeClass?.status?.subnets?.find((each) => each.zone === zone);
  return subnet?.zoneID ? { [LABEL_ZONE_ID]: subnet.zoneID } : {};
}

function reservationLabels({ capacityType, capacityReservation }: Instance): Labels {
  if (capacityType !== CAPACITY_TYPE_RESERVED || !capacityReservation) return {};
  return {
    [LABEL_CAPACITY_RESERVATION_ID]: capacityReservation.id,
    [LABEL_CAPACITY_RESERVATION_TYPE]: capacityReservation.type,
    [LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE]: String(capacityReservation.interruptible),
  };
}

/** A partition that nobody asked for is EC2's choice: the registration hook finds it, and knows by the empty label. */
function placementLabels({ partitionNumber }: Instance, { placementGroup }: InstanceSurroundings): Labels {
  if (!placementGroup) return {};
  const group = { [LABEL_PLACEMENT_GROUP_ID]: placementGroup.id };
  if (placementGroup.strategy !== 'partition') return group;
  return { ...group, [LABEL_PLACEMENT_GROUP_PARTITION]: String(partitionNumber ?? '') };
}

/** EFA is there only if the instance was launched with such interfaces. */
function shownResources(amounts: Resources, { efaCount }: Instance): Resources {
  return Object.fromEntries(
    Object.entries(amounts).filter(([name, amount]) => amount !== 0 && (name !== RESOURCE_EFA || efaCount > 0)),
  );
}
