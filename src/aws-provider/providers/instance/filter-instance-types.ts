import { InsufficientCapacityError } from '../../../cloudprovider/errors.ts';
import { nameList } from '../../../controllers/name-list.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { orderByPrice, truncate } from '../../../scheduling/launch-order.ts';
import { ALL_WELL_KNOWN_LABELS } from '../../apis/well-known.ts';
import { capacityBlockFilter } from './filters/capacity-block.ts';
import { capacityReservationTypeFilter } from './filters/capacity-reservation-type.ts';
import { compatibleAvailableFilter } from './filters/compatible-available.ts';
import { exoticFilter } from './filters/exotic.ts';
import type { LaunchDemand } from './filters/launch-filter.ts';
import { reservedOfferingFilter } from './filters/reserved-offering.ts';
import { spotOfferingFilter } from './filters/spot-offering.ts';

/** A fleet request names at most this many types. */
const MAX_INSTANCE_TYPES = 60;

const FILTERS = [
  compatibleAvailableFilter,
  capacityReservationTypeFilter,
  capacityBlockFilter,
  reservedOfferingFilter,
  exoticFilter,
  spotOfferingFilter,
];

export interface FilterSettings {
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  readonly log: Logger;
}

/**
 * The types that a claim is launched among, the cheapest first, with the offerings that are open to it (aws-provider.md
 * 17.5 and 17.6).
 *
 * @throws InsufficientCapacityError when none is left, or too few for the claim's minValues.
 */
export function filterInstanceTypes(
  types: readonly InstanceType[],
  demand: LaunchDemand,
  { minValuesPolicy, log }: FilterSettings,
): readonly InstanceType[] {
  const { remaining, rejections } = passFilters(types, demand);
  for (const [filter, rejected] of rejections) {
    log.debug('filtered out instance types from launch', { filter, 'instance-types': nameList(rejected, 5) });
  }
  const ordered = orderByPrice(remaining, demand.requirements, ALL_WELL_KNOWN_LABELS);
  const kept = truncate(ordered, demand.requirements, minValuesPolicy === 'Strict', false, MAX_INSTANCE_TYPES);
  if (typeof kept !== 'string') return kept;
  throw new InsufficientCapacityError(`truncating instance types based on the passed-in requirements, ${kept}`);
}

interface Passed {
  readonly remaining: readonly InstanceType[];
  /** Names of types by the filter that left them out; the first filter's are not worth telling. */
  readonly rejections: readonly (readonly [filter: string, names: readonly string[]])[];
}

function passFilters(types: readonly InstanceType[], demand: LaunchDemand): Passed {
  let remaining = types;
  const rejections: [string, readonly string[]][] = [];
  for (const filter of FILTERS) {
    const kept = filter.keep(remaining, demand);
    if (kept.length === 0) {
      throw new InsufficientCapacityError('all requested instance types were unavailable during launch');
    }
    if (kept.length < remaining.length && filter !== compatibleAvailableFilter) {
      rejections.push([filter.name, namesOfOthers(remaining, kept)]);
    }
    remaining = kept;
  }
  return { remaining, rejections };
}

function namesOfOthers(types: readonly InstanceType[], kept: readonly InstanceType[]): readonly string[] {
  const names = new Set(kept.map(({ name }) => name));
  return types.map(({ name }) => name).filter((name) => !names.has(name));
}
