import { bySavingsRatio, type Candidate } from './candidate.ts';
import { type ConsolidationDecision, consolidationBlocker, decideConsolidation } from './consolidation.ts';
import { finished, hasBudget, type Method, type MethodContext, type MethodRun } from './method.ts';
import { onOneNode } from './on-one-node.ts';
import type { Steps } from './steps.ts';

const TIME_LIMIT_MS = 180_000;

/** What consolidating this one node would come to. */
function decideSingleNode(candidate: Candidate, context: MethodContext): ConsolidationDecision {
  if (!context.scorer.canPass(candidate)) return { blocker: belowBalance(candidate) };
  const decision = decide(candidate, context);
  if (!decision.command) return decision;
  const moves = context.scorer.judge(decision.command, [candidate]);
  context.weighed(moves);
  return moves.every((move) => move.approved) ? decision : { blocker: belowBalance(candidate) };
}

function decide(candidate: Candidate, context: MethodContext): ConsolidationDecision {
  const { options, wellKnown, prices } = context;
  const { keepKnownFaults = false } = options.schedule;
  const consolidation = {
    method: 'SingleNodeConsolidation',
    spotToSpotConsolidation: options.spotToSpotConsolidation,
    wellKnown,
    prices,
    keepKnownFaults,
  } as const;
  const outcome = context.simulate([candidate.node], true);
  const decision = decideConsolidation([candidate], outcome, consolidation);
  if (keepKnownFaults || outcome.newNodeClaims.length < 2) return decision;
  let best = decision;
  for (const alternative of onOneNode(candidate, outcome, context)) {
    const other = decideConsolidation([candidate], alternative, consolidation);
    if (other.command && other.command.savings > (best.command?.savings ?? 0)) best = other;
  }
  return best;
}

function belowBalance(candidate: Candidate) {
  const pool = candidate.nodePool.metadata.name;
  return {
    code: 'BalancedScore',
    message: `What the move saves is too little for what it disrupts in NodePool "${pool}" (policy Balanced)`,
    objects: [`NodePool/${pool}`],
  } as const;
}

/** What was not reached last time leads, so that no node waits for ever behind others that time is spent on in vain. */
function inOrder(candidates: readonly Candidate[], first: ReadonlySet<string>): Candidate[] {
  const leading = candidates.filter(({ name }) => first.has(name));
  if (leading.length === 0) return interleave(candidates);
  return [...interleave(leading), ...interleave(candidates.filter(({ name }) => !first.has(name)))];
}

/** Best savings first within a pool, the pools taking turns. */
function interleave(candidates: readonly Candidate[]): Candidate[] {
  const pools = Map.groupBy([...candidates].sort(bySavingsRatio), (c) => c.nodePool.metadata.name);
  const order = [...pools.keys()].sort();
  const longest = Math.max(0, ...[...pools.values()].map((members) => members.length));
  const result: Candidate[] = [];
  for (let turn = 0; turn < longest; turn++) {
    for (const name of order) {
      const candidate = pools.get(name)?.[turn];
      if (candidate) result.push(candidate);
    }
  }
  return result;
}

/** Removes or replaces one node at a time: the first that can go (karpenter-core.md 7.10). */
export const singleNodeConsolidation: Method = {
  name: 'SingleNodeConsolidation',
  reason: 'Underutilized',
  disruptionClass: 'graceful',
  consolidationType: 'single',
  blocker: consolidationBlocker,

  *compute(candidates, budgets, context): Steps<MethodRun> {
    const started = context.options.elapsed?.() ?? 0;
    const ordered = inOrder(candidates, context.options.unseenNodes ?? new Set());
    let constrained = false;
    for (const [position, candidate] of ordered.entries()) {
      yield;
      if ((context.options.elapsed?.() ?? 0) - started > TIME_LIMIT_MS) {
        const unseenNodes = ordered.slice(position).map(({ name }) => name);
        return { commands: [], timedOut: true, constrainedByBudgets: constrained, unseenNodes };
      }
      if (!hasBudget(candidate, budgets, context)) {
        constrained = true;
        continue;
      }
      const { command, ...refusal } = decideSingleNode(candidate, context);
      if (command) return finished([command], constrained);
      if ('blocker' in refusal) context.block(candidate.name, refusal.blocker);
    }
    return finished([], constrained);
  },
};
