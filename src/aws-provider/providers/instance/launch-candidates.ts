import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { toResources } from '../../../scheduling/resource-list.ts';
import { type FilterSettings, filterInstanceTypes } from './filter-instance-types.ts';

/** What a claim is launched among. */
export interface Candidates {
  readonly requirements: Requirements;
  /** The cheapest first. */
  readonly instanceTypes: readonly InstanceType[];
}

/** Kinds of claims that are remembered for a list of types; a pass of the scheduler makes a few. */
const MAX_KINDS = 100;

/**
 * The candidates of claims, worked out once for claims that are alike as long as the list of types stays the same: hundreds
 * of them come at once when a cluster grows. Alike claims get the same objects.
 */
export class LaunchCandidates {
  readonly #settings: FilterSettings;
  readonly #known = new WeakMap<readonly InstanceType[], Map<string, Candidates>>();

  constructor(settings: FilterSettings) {
    this.#settings = settings;
  }

  /** @throws InsufficientCapacityError when there are none. */
  of(instanceTypes: readonly InstanceType[], { spec }: NodeClaim): Candidates {
    const requests = spec.resources?.requests;
    const kind = JSON.stringify([spec.requirements, requests]);
    const known = this.#known.get(instanceTypes) ?? new Map<string, Candidates>();
    this.#known.set(instanceTypes, known);
    let candidates = known.get(kind);
    if (!candidates) {
      const requirements = Requirements.fromItems(spec.requirements);
      const demand = { requirements, requests: toResources(requests) };
      candidates = { requirements, instanceTypes: filterInstanceTypes(instanceTypes, demand, this.#settings) };
      if (known.size >= MAX_KINDS) known.clear();
      known.set(kind, candidates);
    }
    return candidates;
  }
}
