import {
  ANNOTATION_CAPACITY_OVERLAID,
  ANNOTATION_MIN_VALUES_RELAXED,
  ANNOTATION_PRICE_OVERLAID,
  CAPACITY_TYPE_RESERVED,
  LABEL_CAPACITY_TYPE,
} from '../apis/labels.ts';
import type { InstanceType } from './instance-type.ts';
import { type LaunchOrders, truncate } from './launch-order.ts';
import type { OpenClaim } from './open-claim.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';
import type { Reservations } from './reservations.ts';
import { addResources, smallerResources } from './resource-list.ts';
import type { Resources } from './resources.ts';
import type { PlannedNodeClaim } from './types.ts';

export interface PlannedClaimsDeps {
  readonly sets: RequirementSets;
  readonly reservations: Reservations;
  readonly reservationIDLabel: string;
  readonly strictMinValues: boolean;
  readonly keepKnownFaults: boolean;
  readonly orders: LaunchOrders;
}

/** Turns claims that are full into what is to be launched (karpenter-core.md 4.13, 0.10). */
export class PlannedClaims {
  readonly #deps: PlannedClaimsDeps;

  constructor(deps: PlannedClaimsDeps) {
    this.#deps = deps;
  }

  /** @returns a message when too few types are left for minValues */
  plan(claim: OpenClaim): PlannedNodeClaim | string {
    const { nodePool } = claim.template;
    const set = this.#requirements(claim);
    const { requirements } = set;
    const { strictMinValues, keepKnownFaults } = this.#deps;
    const ordered = this.#deps.orders.of(claim, set);
    const instanceTypes = truncate(ordered, requirements, strictMinValues, keepKnownFaults);
    if (typeof instanceTypes === 'string') return instanceTypes;
    return {
      nodePool,
      pods: claim.pods,
      instanceTypes,
      requirements,
      requests: addResources(Object.fromEntries(claim.total), daemonRequests(claim)),
      annotations: {
        ...nodePool.spec.template.metadata?.annotations,
        [ANNOTATION_MIN_VALUES_RELAXED]: String(claim.minValuesRelaxed),
        ...(claim.template.hasOverlays ? overlayAnnotations(instanceTypes) : {}),
      },
    };
  }

  #requirements(claim: OpenClaim): RequirementSet {
    if (claim.reserved.length === 0) return claim.set;
    const requirements = new Requirements(claim.set.requirements);
    const ids = claim.reserved.map((offering) => this.#deps.reservations.id(offering));
    requirements.replace(Requirement.of(LABEL_CAPACITY_TYPE, 'In', [CAPACITY_TYPE_RESERVED]));
    requirements.add(Requirement.of(this.#deps.reservationIDLabel, 'In', ids));
    return this.#deps.sets.intern(requirements);
  }
}

/** Says on the claim that overlays had a part in choosing its types (karpenter-core.md 4.7.2). */
function overlayAnnotations(types: readonly InstanceType[]): Record<string, string> {
  return {
    ...(types.some(({ offerings }) => offerings.some((o) => o.priceOverlaid))
      ? { [ANNOTATION_PRICE_OVERLAID]: 'true' }
      : {}),
    ...(types.some((type) => type.capacityOverlaid) ? { [ANNOTATION_CAPACITY_OVERLAID]: 'true' } : {}),
  };
}

/** The least that the daemons of any remaining type need; while packing each type was charged with its own. */
function daemonRequests({ template, variants }: OpenClaim): Resources {
  let least: Resources = {};
  for (const { overhead } of template.catalogue.groupsOf(variants)) {
    least = Object.keys(least).length === 0 ? overhead : smallerResources(least, overhead);
  }
  return least;
}
