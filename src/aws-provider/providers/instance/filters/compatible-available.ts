import { allocatableOfferings } from '../../../../scheduling/instance-offerings.ts';
import { fits } from '../../../../scheduling/resource-list.ts';
import { ALL_WELL_KNOWN_LABELS } from '../../../apis/well-known.ts';
import type { LaunchFilter } from './launch-filter.ts';

/** Types that the claim allows, with an offering that is available, allowed, and leaves room for what is requested. */
export const compatibleAvailableFilter: LaunchFilter = {
  name: 'compatible-available-filter',
  keep: (types, { requirements, requests }) =>
    types.filter(
      (type) =>
        requirements.compatible(type.requirements, ALL_WELL_KNOWN_LABELS) &&
        allocatableOfferings(type).some(
          ({ allocatable, offerings }) =>
            fits(requests, allocatable) &&
            offerings.some((offering) => requirements.compatible(offering.requirements, ALL_WELL_KNOWN_LABELS)),
        ),
    ),
};
