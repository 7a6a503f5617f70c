import { silent } from './blockers.ts';
import { bySavingsRatio, type Candidate } from './candidate.ts';
import { makeCommand } from './command.ts';
import { type ConsolidationContext, consolidationBlocker, decideConsolidation } from './consolidation.ts';
import { EvictionAllowance } from './eviction-allowance.ts';
import { finished, type Method, type MethodContext, type MethodRun, takeBudget } from './method.ts';
import { cheaperThanSameType } from './replacement-price.ts';
import type { Steps } from './steps.ts';
import type { Blocker, Command, Move } from './types.ts';

/** The most nodes that one command looks at, and how long the search may take (karpenter-core.md 7.9). */
const MOST_NODES = 100;
const TIME_LIMIT_MS = 60_000;

interface Attempt {
  /** Undefined when it is no good. */
  readonly command: Command | undefined;
  /** Why there is no command. */
  readonly blocker?: Blocker;
  /** By pool; none when there was nothing to weigh. */
  readonly moves: readonly Move[];
}

/** Removing all of `batch` at once, by deletion or for one cheaper node. */
function tryBatch(batch: readonly Candidate[], context: MethodContext): Attempt {
  const nodes = batch.map((c) => c.node);
  const { wellKnown, prices } = context;
  const consolidation = {
    method: 'MultiNodeConsolidation',
    spotToSpotConsolidation: context.options.spotToSpotConsolidation,
    wellKnown,
    prices,
    keepKnownFaults: context.options.schedule.keepKnownFaults ?? false,
  } as const;
  const { command, ...refusal } = decideConsolidation(batch, context.simulate(nodes, true), consolidation);
  if (!command) return { command, moves: [], ...('blocker' in refusal ? refusal : {}) };
  const sensible = withoutSameType(command, batch, consolidation);
  if (!sensible) return { command: undefined, moves: [], blocker: SAME_TYPE };
  const moves = context.scorer.judge(sensible, batch);
  if (moves.every((move) => move.approved)) return { command: sensible, moves };
  return { command: undefined, moves, blocker: UNBALANCED };
}

const SAME_TYPE = silent('NotCheaper', 'One of them would be replaced by its like: deleting the others says the same');
const UNBALANCED = silent('BalancedScore', 'What the move saves is too little for what it disrupts (policy Balanced)');

/** What removing exactly these nodes at once would come to, in or out of their turn. */
export function mergeNodes(batch: readonly Candidate[], context: MethodContext): Pick<Attempt, 'command' | 'blocker'> {
  return tryBatch(batch, context);
}

/** The nodes of which multi-node consolidation tries the first two, three and so on, never others; budgets left by pool. */
export function orderOfMerging(
  candidates: readonly Candidate[],
  budgets: Map<string, number>,
  context: MethodContext,
): { readonly candidates: readonly Candidate[]; readonly most: number; readonly constrained: boolean } {
  const affordable = [...candidates].sort(bySavingsRatio).filter((c) => takeBudget(c, budgets, context));
  return {
    candidates: withoutWaiting(affordable, context),
    most: MOST_NODES + 1,
    constrained: affordable.length < candidates.length,
  };
}

function withoutSameType(
  command: Command,
  batch: readonly Candidate[],
  context: ConsolidationContext,
): Command | undefined {
  const [replacement] = command.replacements;
  if (!replacement) return command;
  const { claim } = cheaperThanSameType(replacement, batch, context);
  if (!claim || claim.instanceTypes.length === 0) return undefined;
  return makeCommand(context, command.reason, batch, [claim], command.placements);
}

/** Those whose pods can all be evicted at once as far as their budgets go; upstream takes also those that have to wait. */
function withoutWaiting(candidates: readonly Candidate[], context: MethodContext): readonly Candidate[] {
  if (context.options.schedule.keepKnownFaults) return candidates;
  const allowance = new EvictionAllowance(context.index);
  return candidates.filter((candidate) => allowance.take(candidate));
}

/** Removes as many nodes as possible at once, best savings first (karpenter-core.md 7.9). */
export const multiNodeConsolidation: Method = {
  name: 'MultiNodeConsolidation',
  reason: 'Underutilized',
  disruptionClass: 'graceful',
  consolidationType: 'multi',
  blocker: consolidationBlocker,

  *compute(candidates, budgets, context): Steps<MethodRun> {
    const { candidates: together, most, constrained } = orderOfMerging(candidates, budgets, context);
    if (together.length < 2) return finished([], constrained);
    const started = context.options.elapsed?.() ?? 0;
    let low = 1;
    let high = Math.min(together.length, most) - 1;
    let best: Attempt | undefined;
    let refused: readonly Move[] = [];
    let timedOut = false;
    // A batch has two nodes at least: single-node consolidation finds all the others.
    while (low <= high) {
      yield;
      if ((context.options.elapsed?.() ?? 0) - started > TIME_LIMIT_MS) {
        timedOut = true;
        break;
      }
      const middle = Math.floor((low + high) / 2);
      const attempt = tryBatch(together.slice(0, middle + 1), context);
      if (attempt.command) {
        best = attempt;
        low = middle + 1;
      } else {
        if (attempt.moves.length > 0) refused = attempt.moves;
        high = middle - 1;
      }
    }
    context.weighed(best?.moves ?? refused);
    return {
      commands: best?.command ? [best.command] : [],
      timedOut,
      constrainedByBudgets: constrained,
      unseenNodes: [],
    };
  },
};
