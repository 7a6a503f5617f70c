import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../scheduling/requirements.ts';
import { LABEL_PLACEMENT_GROUP_PARTITION } from '../../apis/labels.ts';
import type { PlacementGroup } from '../contracts.ts';
import { launchableOfferings } from '../instance/offerings.ts';
import { partitionsOf } from '../instance-type/offering/class-market.ts';

/**
 * The partition of the class's group that a claim is launched into, for EC2 takes one only: the first that the claim allows
 * in which something is on sale. Undefined when any will do: then EC2 chooses (aws-provider.md section 15).
 *
 * @param requirements narrowed to the capacity type of the launch.
 */
export function partitionOfLaunch(
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
