/** Keeping only replacements that are worth it (karpenter-core.md 7.9.3, 7.11.2). */
import { satisfiesMinValues } from '../scheduling/min-values.ts';
import { Requirements } from '../scheduling/requirements.ts';
import { nodeLabels } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim } from '../scheduling/types.ts';
import type { Candidate } from './candidate.ts';
import type { LaunchPrices } from './prices.ts';

export type PriceFilter =
  | { readonly claim: PlannedNodeClaim }
  /** What is left no longer has the variety that minValues asks for. */
  | { readonly claim?: undefined; readonly error: string };

export interface PriceContext {
  readonly prices: LaunchPrices;
  /** Count values for minValues that the claim rules out, as upstream does. */
  readonly keepKnownFaults: boolean;
}

/** Drops the types that may turn out as dear as `limit` (strictly cheaper ones stay), then checks minValues. */
export function cheaperThan(claim: PlannedNodeClaim, limit: number, context: PriceContext): PriceFilter {
  const instanceTypes = claim.instanceTypes.filter((type) => context.prices.worst(type, claim.requirements) < limit);
  const variety = satisfiesMinValues(instanceTypes, claim.requirements, context.keepKnownFaults);
  if (variety.error !== undefined) return { error: variety.error };
  return { claim: { ...claim, instanceTypes } };
}

/**
 * Replacing several nodes by one of a type that is among them is just deleting the others: everything as dear as the
 * cheapest node of such a type is dropped.
 */
export function cheaperThanSameType(
  claim: PlannedNodeClaim,
  candidates: readonly Candidate[],
  context: PriceContext,
): PriceFilter {
  const current = new Map<string, number>();
  for (const { instanceType, node } of candidates) {
    if (!instanceType) continue;
    const labels = Requirements.fromLabels(nodeLabels(node));
    const own = instanceType.offerings.filter((o) => labels.compatible(o.requirements, context.prices.wellKnown));
    const price = Math.min(...own.map((o) => o.price));
    // A type whose price is unknown counts as free, so that nothing is cheaper.
    const known = current.get(instanceType.name);
    if (Number.isFinite(price)) current.set(instanceType.name, Math.min(known || price, price));
    else if (known === undefined) current.set(instanceType.name, 0);
  }
  const limit = claim.instanceTypes.reduce(
    (low, type) => Math.min(low, current.get(type.name) ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  return cheaperThan(claim, limit, context);
}
