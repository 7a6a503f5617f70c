import { LABEL_INSTANCE_TYPE } from '../src/apis/labels.ts';
import type { NodeClaim } from '../src/apis/node-claim.ts';
import { InsufficientCapacityError } from '../src/cloudprovider/errors.ts';
import { allocatable } from '../src/scheduling/instance-offerings.ts';
import type { InstanceType, Offering } from '../src/scheduling/instance-type.ts';
import { Requirements } from '../src/scheduling/requirements.ts';
import { fits, toResources } from '../src/scheduling/resource-list.ts';
import { hash32 } from './node-name.ts';

export interface Choice {
  readonly instanceType: InstanceType;
  readonly offering: Offering;
}

/** The types a claim names, in its order; all types when it names none (static pools, claims written by hand). */
function candidates(claim: NodeClaim, types: ReadonlyMap<string, InstanceType>): InstanceType[] {
  const named = claim.spec.requirements.find((r) => r.key === LABEL_INSTANCE_TYPE && r.operator === 'In');
  if (!named) return [...types.values()];
  return (named.values ?? []).flatMap((name) => types.get(name) ?? []);
}

/**
 * The cheapest available offering that a claim allows, on a type that holds what it requests. Between offerings of one
 * type at the same price the claim's uid decides, so that the same claim always gets the same answer; between types the
 * earlier one wins. A type without a fitting offering is no candidate.
 *
 * @throws {InsufficientCapacityError} when there is none.
 */
export function chooseOffering(claim: NodeClaim, types: ReadonlyMap<string, InstanceType>): Choice {
  const requirements = Requirements.fromItems(claim.spec.requirements);
  const requests = toResources(claim.spec.resources?.requests);
  let best: Choice | undefined;
  for (const instanceType of candidates(claim, types)) {
    if (!instanceType.requirements.intersects(requirements) || !fits(requests, allocatable(instanceType))) continue;
    const open = instanceType.offerings.filter((o) => o.available && o.requirements.intersects(requirements));
    const price = Math.min(...open.map((o) => o.price));
    if (open.length === 0 || (best && price >= best.offering.price)) continue;
    const cheapest = open.filter((o) => o.price === price);
    const offering = cheapest[hash32(claim.metadata.uid ?? claim.metadata.name) % cheapest.length];
    if (offering) best = { instanceType, offering };
  }
  if (best) return best;
  throw new InsufficientCapacityError(
    `no instance type has an available offering for nodeclaim "${claim.metadata.name}"`,
  );
}
