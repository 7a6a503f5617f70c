import { CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE } from '../apis/labels.ts';
import { type Bits, intersectInto } from './bit-set.ts';
import type { OpenClaim } from './open-claim.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';

/** What an offering on the spot market fulfils. */
export const SPOT = Requirement.of(LABEL_CAPACITY_TYPE, 'In', [CAPACITY_TYPE_SPOT]);

/** The claim could be spot, and could no longer be as this. */
export function losesSpot(claim: OpenClaim, set: RequirementSet, variants: Bits, sets: RequirementSets): boolean {
  if (claim.pods.length === 0) return false;
  return sellsSpot(claim, claim.set, claim.variants, sets) && !sellsSpot(claim, set, variants, sets);
}

function sellsSpot({ template }: OpenClaim, set: RequirementSet, variants: Bits, sets: RequirementSets): boolean {
  const spot = sets.join(set, sets.intern([SPOT]), true);
  return spot !== undefined && intersectInto(variants.slice(), template.catalogue.eligible(spot));
}
