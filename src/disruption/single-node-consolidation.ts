import { bySavingsRatio, type Candidate } from './candidate.ts';
import { type ConsolidationDecision, consolidationBlocker, decideConsolidation } from './consolidation.ts';
import { hasBudget, type Method, type MethodContext, type MethodRun } from './method.ts';
import { onOneNode } from './on-one-node.ts';

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

/** Best savings first within a pool, the pools taking turns; pools that were not reached last time lead. */
function interleave(candidates: readonly Candidate[], first: ReadonlySet<string>): Candidate[] {
  const pools = Map.groupBy([...candidates].sort(bySavingsRatio), (c) => c.nodePool.metadata.name);
  const names = [...pools.keys()].sort();
  const order = [...names.filter((n) => first.has(n)), ...names.filter((n) => !first.has(n))];
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

  compute(candidates, budgets, context): MethodRun {
    const started = context.options.elapsed?.() ?? 0;
    const unseen = new Set(candidates.map((c) => c.nodePool.metadata.name));
    let constrained = false;
    for (const candidate of interleave(candidates, context.options.unseenPools ?? new Set())) {
      if ((context.options.elapsed?.() ?? 0) - started > TIME_LIMIT_MS) {
        return { commands: [], timedOut: true, constrainedByBudgets: constrained, unseenPools: [...unseen] };
      }
      const pool = candidate.nodePool.metadata.name;
      unseen.delete(pool);
      if (!hasBudget(candidate, budgets, context)) {
        constrained = true;
        continue;
      }
      const { command, ...refusal } = decideSingleNode(candidate, context);
      if (command) {
        return { commands: [command], timedOut: false, constrainedByBudgets: constrained, unseenPools: [] };
      }
      if ('blocker' in refusal) context.block(candidate.name, refusal.blocker);
    }
    return { commands: [], timedOut: false, constrainedByBudgets: constrained, unseenPools: [...unseen] };
  },
};
