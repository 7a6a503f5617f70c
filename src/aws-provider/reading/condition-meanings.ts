import { VALIDATION_SUCCEEDED } from '../../apis/condition-types.ts';
import type { ConditionMeaning } from '../../explain/condition-meanings.ts';
import { findCondition } from '../../kube/conditions.ts';
import {
  AMIS_READY,
  CAPACITY_RESERVATIONS_READY,
  INSTANCE_PROFILE_READY,
  PLACEMENT_GROUP_READY,
  SECURITY_GROUPS_READY,
  SUBNETS_READY,
} from '../apis/condition-types.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { aliasOf } from '../apis/ec2-node-class-facts.ts';
import { LOOK } from './selector-words.ts';

const DOCTOR = 'kubectl karpenter doctor --provider aws';
const WAITING = 'nobody has looked at it yet, or AWS did not answer: is the controller running, and what does it log?';

/** What the conditions of a class mean, and what to do about those that are not as they should be, in its own terms. */
export function ec2ConditionMeanings(nodeClass: EC2NodeClass): Readonly<Record<string, ConditionMeaning>> {
  const { spec } = nodeClass;
  const meaning = (type: string, True: string, False: string, Unknown: string, next: string): ConditionMeaning => ({
    ...{ True, False, Unknown, healthy: 'True' as const },
    next: findCondition(nodeClass, type)?.status === 'Unknown' ? WAITING : next,
  });
  return {
    [AMIS_READY]: meaning(
      ...([AMIS_READY, 'images were found', 'no image was found', 'images have not been looked for yet'] as const),
      aliasOf(nodeClass) ? `the alias in spec.amiSelectorTerms; ${DOCTOR} tries it` : LOOK.amis(spec),
    ),
    [SUBNETS_READY]: meaning(
      ...([
        SUBNETS_READY,
        'subnets were found',
        'no subnet was found',
        'subnets have not been looked for yet',
      ] as const),
      LOOK.subnets(spec),
    ),
    [SECURITY_GROUPS_READY]: meaning(
      SECURITY_GROUPS_READY,
      'security groups were found',
      'no security group was found',
      'security groups have not been looked for yet',
      LOOK.securityGroups(spec),
    ),
    [INSTANCE_PROFILE_READY]: meaning(
      INSTANCE_PROFILE_READY,
      spec.role ? 'an instance profile holds its role' : 'the instance profile is known',
      spec.role ? 'no instance profile holds its role' : 'the instance profile is not there',
      'the instance profile has not been seen to yet',
      LOOK.instanceProfile(spec),
    ),
    [CAPACITY_RESERVATIONS_READY]: meaning(
      CAPACITY_RESERVATIONS_READY,
      'capacity reservations were looked for',
      'capacity reservations could not be looked for',
      'capacity reservations have not been looked for yet',
      'spec.capacityReservationSelectorTerms',
    ),
    [PLACEMENT_GROUP_READY]: meaning(
      PLACEMENT_GROUP_READY,
      spec.placementGroupSelector ? 'the placement group was found' : 'it asks for no placement group',
      'the placement group was not found',
      'the placement group has not been looked for yet',
      LOOK.placementGroup(spec),
    ),
    [VALIDATION_SUCCEEDED]: {
      True: 'EC2 would launch nodes like that',
      False: 'EC2 would not launch nodes like that',
      Unknown: 'launches have not been tried yet',
      healthy: 'True',
      next: nextOfValidation(nodeClass),
    },
    Ready: {
      True: 'nodes may be launched with it',
      False: 'no node is launched with it',
      Unknown: 'no node is launched with it until everything above is known',
      healthy: 'True',
    },
  };
}

function nextOfValidation(nodeClass: EC2NodeClass): string {
  const { reason = '', status } = findCondition(nodeClass, VALIDATION_SUCCEEDED) ?? {};
  if (reason === 'DependenciesNotReady') return 'the conditions above that are not True: this one waits for them';
  if (reason.endsWith('AuthCheckFailed')) return `${DOCTOR}: it names the statement of the policies that is missing`;
  if (reason.includes('Kubelet')) return 'spec.kubelet: the message names the setting';
  if (reason === 'TagValidationFailed') return 'spec.tags: the message names the tag';
  if (reason === 'UserDataSizeLimitExceeded')
    return 'spec.userData: EC2 takes 16 KiB of all that a node is started with';
  if (reason === 'InstanceProfileNotFound') return LOOK.instanceProfile(nodeClass.spec);
  if (reason === 'ClusterCIDRResolutionFailed') return `eks:DescribeCluster; ${DOCTOR} tries it`;
  return status === 'Unknown' ? WAITING : `the message; ${DOCTOR} tries a launch and changes nothing`;
}
