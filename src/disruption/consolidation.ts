/** The decision that multi- and single-node consolidation share (karpenter-core.md 7.3, 7.11). */

import { parseNillableDuration } from '../apis/duration.ts';
import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_SPOT,
  LABEL_CAPACITY_TYPE,
  LABEL_INSTANCE_TYPE,
  LABEL_ZONE,
} from '../apis/labels.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import { cheapestOfferings } from '../scheduling/instance-offerings.ts';
import { satisfiesMinValues } from '../scheduling/min-values.ts';
import { Requirement } from '../scheduling/requirement.ts';
import { nodeLabels } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim } from '../scheduling/types.ts';
import { silent, unconsolidatable } from './blockers.ts';
import { type Candidate, isEmpty, isStatic, totalPrice } from './candidate.ts';
import { makeCommand } from './command.ts';
import { cheaperThan, type PriceContext } from './replacement-price.ts';
import { describeHomeless, homelessObjects, type SimulationOutcome } from './simulation.ts';
import type { Blocker, Command, MethodName } from './types.ts';

/** A spot node moves to spot only where at least this many types are cheaper, so that it doesn't creep down the list. */
const SPOT_TO_SPOT_TYPES = 15;

/** What keeps a candidate out of consolidation before any packing is tried. */
export function consolidationBlocker(candidate: Candidate): Blocker | undefined {
  const pool = candidate.nodePool;
  const name = pool.metadata.name;
  const labels = nodeLabels(candidate.node);
  if (isStatic(candidate)) return silent('StaticNodePool', `NodePool "${name}" is static`, [`NodePool/${name}`]);
  if (!candidate.instanceType) {
    const type = labels[LABEL_INSTANCE_TYPE] ?? '';
    return unconsolidatable('InstanceTypeUnknown', `Instance Type "${type}" not found`);
  }
  for (const label of [LABEL_CAPACITY_TYPE, LABEL_ZONE]) {
    if (labels[label] === undefined) {
      return unconsolidatable('LabelMissing', `Node does not have label "${label}"`);
    }
  }
  if (parseNillableDuration(pool.spec.disruption?.consolidateAfter, '0s') === undefined) {
    const message = `NodePool "${name}" has consolidation disabled`;
    return unconsolidatable('ConsolidationDisabled', message, [`NodePool/${name}`]);
  }
  if (isEmpty(candidate)) return silent('IsEmpty', 'Node is empty, so only Emptiness considers it');
  if (pool.spec.disruption?.consolidationPolicy === 'WhenEmpty') {
    const message = `NodePool "${name}" has consolidation policy WhenEmpty, but node is not empty`;
    return unconsolidatable('WhenEmptyPolicy', message, [`NodePool/${name}`]);
  }
  return notYetConsolidatable(candidate);
}

/** The claim is not Consolidatable: consolidateAfter has not passed since its last pod came or went. */
export function notYetConsolidatable(candidate: Candidate): Blocker | undefined {
  if (conditionIsTrue(candidate.node.nodeClaim, 'Consolidatable')) return undefined;
  const after = candidate.nodePool.spec.disruption?.consolidateAfter ?? '0s';
  return silent('ConsolidateAfter', `Less than consolidateAfter (${after}) has passed since a pod came or went`, [
    `NodePool/${candidate.nodePool.metadata.name}`,
  ]);
}

export type ConsolidationDecision =
  | { readonly command: Command }
  | { readonly command?: undefined; readonly blocker: Blocker };

export interface ConsolidationContext extends PriceContext {
  readonly method: MethodName;
  readonly spotToSpotConsolidation: boolean;
  readonly wellKnown: ReadonlySet<string>;
}

/** What to do with these candidates, given how their pods would pack without them. */
export function decideConsolidation(
  candidates: readonly Candidate[],
  outcome: SimulationOutcome,
  context: ConsolidationContext,
): ConsolidationDecision {
  const refuse = (blocker: Blocker): ConsolidationDecision => ({ blocker });
  if (outcome.homeless.size > 0) {
    return refuse(
      unconsolidatable('PodsUnschedulable', describeHomeless(outcome.homeless), homelessObjects(outcome.homeless)),
    );
  }
  const [planned, ...others] = outcome.newNodeClaims;
  if (!planned) return { command: makeCommand(context, 'Underutilized', candidates, [], outcome.placements) };
  if (others.length > 0) {
    const count = outcome.newNodeClaims.length;
    return refuse(unconsolidatable('NeedsSeveralNodes', `Can't remove without creating ${count} candidates`));
  }
  const claim = context.keepKnownFaults ? planned : withoutDearSpot(planned, context.wellKnown);
  const allSpot = candidates.every((c) => c.capacityType === CAPACITY_TYPE_SPOT);
  const spotToSpot = allSpot && claim.requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_SPOT);
  if (spotToSpot && !context.spotToSpotConsolidation) {
    const message = "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";
    return refuse(unconsolidatable('SpotToSpotDisabled', message));
  }
  const wanted = spotToSpot ? onlySpot(claim) : claim;
  const filtered = cheaperThan(wanted, totalPrice(candidates), context);
  if (!filtered.claim) return refuse(unconsolidatable('MinValues', `Filtering by price: ${filtered.error}`));
  if (filtered.claim.instanceTypes.length === 0) {
    return refuse(unconsolidatable('NotCheaper', "Can't replace with a cheaper node"));
  }
  if (spotToSpot && candidates.length === 1) {
    const left = filtered.claim.instanceTypes.length;
    if (left < SPOT_TO_SPOT_TYPES) {
      const message = `SpotToSpotConsolidation requires ${SPOT_TO_SPOT_TYPES} cheaper instance type options than the current candidate to consolidate, got ${left}`;
      return refuse(unconsolidatable('SpotToSpotTooFewTypes', message));
    }
  }
  const replacement = launchable(filtered.claim, spotToSpot, candidates.length, context);
  return { command: makeCommand(context, 'Underutilized', candidates, [replacement], outcome.placements) };
}

function onlySpot(claim: PlannedNodeClaim): PlannedNodeClaim {
  return only(claim, [CAPACITY_TYPE_SPOT]);
}

/** The claim pinned to these capacity types. */
function only(claim: PlannedNodeClaim, capacityTypes: readonly string[]): PlannedNodeClaim {
  const requirements = claim.requirements.copy();
  requirements.add(Requirement.of(LABEL_CAPACITY_TYPE, 'In', capacityTypes));
  return { ...claim, requirements };
}

/**
 * The claim pinned to on-demand where that is what a launch would buy: no spot is on sale, or it costs more. Upstream pins
 * such a claim to spot.
 */
function withoutDearSpot(claim: PlannedNodeClaim, wellKnown: ReadonlySet<string>): PlannedNodeClaim {
  const { instanceTypes, requirements } = claim;
  const [first] = instanceTypes;
  if (!first || !requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_SPOT)) return claim;
  const cheapest = cheapestOfferings(first, requirements, wellKnown).map((o) =>
    o.requirements.get(LABEL_CAPACITY_TYPE),
  );
  return cheapest.length > 0 && cheapest.every((type) => type.has(CAPACITY_TYPE_ON_DEMAND))
    ? only(claim, [CAPACITY_TYPE_ON_DEMAND])
    : claim;
}

/**
 * What is really asked of the provider: where the price filter counted on spot, spot is pinned, so that a failed launch
 * does not end in a dearer on-demand node; and a single spot node gets no more types than the rule above counted.
 */
function launchable(
  claim: PlannedNodeClaim,
  spotToSpot: boolean,
  candidates: number,
  { keepKnownFaults }: PriceContext,
): PlannedNodeClaim {
  const capacityType = claim.requirements.get(LABEL_CAPACITY_TYPE);
  if (!spotToSpot) {
    const both = capacityType.has(CAPACITY_TYPE_SPOT) && capacityType.has(CAPACITY_TYPE_ON_DEMAND);
    return both ? onlySpot(claim) : claim;
  }
  if (candidates > 1) return claim;
  const { needed } = satisfiesMinValues(claim.instanceTypes, claim.requirements, keepKnownFaults);
  return { ...claim, instanceTypes: claim.instanceTypes.slice(0, Math.max(SPOT_TO_SPOT_TYPES, needed)) };
}
