import type { DisruptionReason } from '../apis/node-pool.ts';
import { cheapestPrice } from '../scheduling/instance-offerings.ts';
import { orderByPrice } from '../scheduling/launch-order.ts';
import type { PlannedNodeClaim } from '../scheduling/types.ts';
import { type Candidate, totalPrice } from './candidate.ts';
import type { Command, MethodName } from './types.ts';

interface CommandContext {
  readonly method: MethodName;
  readonly wellKnown: ReadonlySet<string>;
}

/** The cheapest offering on sale of the first type; nothing on sale counts as free (karpenter-core.md 7.11.8). */
function launchPrice(claim: PlannedNodeClaim, wellKnown: ReadonlySet<string>): number {
  const [first] = claim.instanceTypes;
  const price = first ? cheapestPrice(first, claim.requirements, wellKnown) : 0;
  return Number.isFinite(price) ? price : 0;
}

/**
 * The command with its replacements' types in the order in which they will be tried: pinning a claim to a capacity type
 * changes what is cheapest.
 */
export function inLaunchOrder(command: Command, wellKnown: ReadonlySet<string>): Command {
  const replacements = command.replacements.map((claim) => ({
    ...claim,
    instanceTypes: orderByPrice(claim.instanceTypes, claim.requirements, wellKnown),
  }));
  return { ...command, replacements };
}

/** A command and what it saves per hour, by the first type of each replacement. */
export function makeCommand(
  context: CommandContext,
  reason: DisruptionReason,
  candidates: readonly Candidate[],
  replacements: readonly PlannedNodeClaim[],
  placements: ReadonlyMap<string, readonly string[]>,
): Command {
  const spent = replacements.reduce((sum, claim) => sum + launchPrice(claim, context.wellKnown), 0);
  return {
    method: context.method,
    decision: replacements.length > 0 ? 'replace' : 'delete',
    reason,
    candidates: candidates.map((c) => c.node),
    replacements,
    placements,
    savings: totalPrice(candidates) - spent,
  };
}
