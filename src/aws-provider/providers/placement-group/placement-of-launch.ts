import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../scheduling/requirements.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { LABEL_PLACEMENT_GROUP_PARTITION } from '../../apis/labels.ts';
import type { PlacementGroup, PlacementGroupProvider, PlacementGroupScope } from '../contracts.ts';
import { launchableOfferings, withCapacityType } from '../instance/offerings.ts';
import { partitionsOf } from '../instance-type/offering/class-market.ts';
import { placementGroupOf } from './placement-group-of.ts';

interface Launch {
  readonly nodeClass: EC2NodeClass;
  readonly instanceTypes: readonly InstanceType[];
  readonly capacityType: string;
}

/**
 * The group of the class, and the partition that a claim with these requirements is launched into: its template names
 * them, and a shortage concerns nothing else. Empty without a group.
 */
export async function placementOfLaunch(
  placementGroups: PlacementGroupProvider,
  { nodeClass, instanceTypes, capacityType }: Launch,
  requirements: Requirements,
  signal?: AbortSignal,
): Promise<PlacementGroupScope> {
  const group = await placementGroupOf(placementGroups, nodeClass, signal);
  if (!group) return {};
  const partition = partitionOfLaunch(group, withCapacityType(requirements, capacityType), instanceTypes);
  return { placementGroupID: group.id, ...(partition === undefined ? {} : { placementGroupPartition: partition }) };
}

/**
 * The partition of the class's group that the claim is launched into, for EC2 takes one only: the first that the claim allows
 * in which something is on sale. Undefined when any will do: then EC2 chooses (aws-provider.md section 15).
 *
 * @param requirements narrowed to the capacity type of the launch.
 */
function partitionOfLaunch(
  group: PlacementGroup,
  requirements: Requirements,
  instanceTypes: readonly InstanceType[],
): string | undefined {
  const wanted = requirements.get(LABEL_PLACEMENT_GROUP_PARTITION);
  if (wanted.operator === 'Exists') return undefined;
  const allowed = partitionsOf(group).filter((partition) => wanted.has(partition));
  return allowed.find((partition) => isOnSaleIn(partition, requirements, instanceTypes)) ?? allowed[0];
}

function isOnSaleIn(partition: string, requirements: Requirements, types: readonly InstanceType[]): boolean {
  return types.some((type) =>
    launchableOfferings(type, requirements).some((offering) =>
      offering.requirements.get(LABEL_PLACEMENT_GROUP_PARTITION).has(partition),
    ),
  );
}
