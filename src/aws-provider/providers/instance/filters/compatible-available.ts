import { type AllocatableOfferings, allocatableOfferings } from '../../../../scheduling/instance-offerings.ts';
import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import { fits } from '../../../../scheduling/resource-list.ts';
import { ALL_WELL_KNOWN_LABELS } from '../../../apis/well-known.ts';
import { allows } from '../offerings.ts';
import type { LaunchFilter } from './launch-filter.ts';

const GROUPS = new WeakMap<InstanceType, readonly AllocatableOfferings[]>();

/** Types that the claim allows, with an offering that is available, allowed, and leaves room for what is requested. */
export const compatibleAvailableFilter: LaunchFilter = {
  name: 'compatible-available-filter',
  keep: (types, { requirements, requests }) =>
    types.filter(
      (type) =>
        requirements.compatible(type.requirements, ALL_WELL_KNOWN_LABELS) &&
        groupsOf(type).some(
          ({ allocatable, offerings }) =>
            fits(requests, allocatable) && offerings.some((offering) => allows(requirements, offering)),
        ),
    ),
};

/** Worked out once: types stay the same objects as long as nothing about them changes. */
function groupsOf(type: InstanceType): readonly AllocatableOfferings[] {
  let groups = GROUPS.get(type);
  if (!groups) {
    groups = allocatableOfferings(type);
    GROUPS.set(type, groups);
  }
  return groups;
}
