/** The Balanced policy: a move must save at least half the share of cost that it disrupts (karpenter-core.md 7.12). */
import { isTerminal } from '../kube/pods.ts';
import { isOwnedByDaemonSet } from '../scheduling/pod-lifecycle.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import { type Candidate, totalPrice } from './candidate.ts';
import { evictionCost, NODE_BASE_COST } from './eviction-cost.ts';
import type { Command } from './types.ts';
import type { WorldIndex } from './world-index.ts';

/** A score of 1/K or more is approved. */
const BALANCED_K = 2;

interface PoolTotals {
  readonly cost: number;
  readonly disruption: number;
}

export interface Score {
  /** savings share ÷ disruption share; Infinity when nothing is disrupted. */
  readonly score: number;
  readonly savingsFraction: number;
  readonly disruptionFraction: number;
  readonly approved: boolean;
}

function isBalanced(candidate: Candidate): boolean {
  return candidate.nodePool.spec.disruption?.consolidationPolicy === 'Balanced';
}

function disruptionOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, c) => sum + c.disruptionCost, 0);
}

function rate(savings: number, disruption: number, totals: PoolTotals | undefined): Score {
  if (!totals || totals.cost <= 0 || totals.disruption <= 0) {
    return { score: 0, savingsFraction: 0, disruptionFraction: 0, approved: false };
  }
  const savingsFraction = savings / totals.cost;
  const disruptionFraction = disruption / totals.disruption;
  let score = 0;
  if (savingsFraction > 0)
    score = disruptionFraction === 0 ? Number.POSITIVE_INFINITY : savingsFraction / disruptionFraction;
  return { score, savingsFraction, disruptionFraction, approved: score >= 1 / BALANCED_K };
}

/** Scores moves against the totals of their pools; pools of other policies have no say. */
export class BalancedScorer {
  readonly #totals: ReadonlyMap<string, PoolTotals>;

  /** `poolCosts`: price per hour of all of a pool's nodes, where known; otherwise the candidates' prices are summed. */
  constructor(index: WorldIndex, candidates: readonly Candidate[], poolCosts: ReadonlyMap<string, number> = new Map()) {
    const byName = new Map(candidates.map((c) => [c.name, c]));
    const disruption = new Map<string, number>();
    for (const node of index.world.nodes) {
      const pool = nodePoolName(node);
      if (pool === undefined) continue;
      const own = byName.get(stateNodeName(node))?.disruptionCost ?? nodeDisruption(index, node);
      disruption.set(pool, (disruption.get(pool) ?? 0) + own);
    }
    this.#totals = new Map(
      [...Map.groupBy(candidates, (c) => c.nodePool.metadata.name)].map(([pool, members]) => [
        pool,
        { cost: poolCosts.get(pool) || totalPrice(members), disruption: disruption.get(pool) ?? 0 },
      ]),
    );
  }

  /** A delete saves most; if even that falls short, no replacement can do. */
  canPass(candidate: Candidate): boolean {
    const totals = this.#totals.get(candidate.nodePool.metadata.name);
    if (!isBalanced(candidate) || !totals || totals.cost <= 0) return true;
    return rate(candidate.price, candidate.disruptionCost, totals).approved;
  }

  /** By pool, only Balanced ones. Savings of a move over several pools are split by what each pool's nodes cost. */
  scores(command: Command, candidates: readonly Candidate[]): ReadonlyMap<string, Score> {
    const pools = Map.groupBy(candidates, (c) => c.nodePool.metadata.name);
    const total = totalPrice(candidates);
    const scores = new Map<string, Score>();
    for (const [pool, members] of pools) {
      if (!members[0] || !isBalanced(members[0])) continue;
      const share = total > 0 && pools.size > 1 ? totalPrice(members) / total : 1;
      scores.set(pool, rate(command.savings * share, disruptionOf(members), this.#totals.get(pool)));
    }
    return scores;
  }

  approves(command: Command, candidates: readonly Candidate[]): boolean {
    return [...this.scores(command, candidates).values()].every((score) => score.approved);
  }
}

function nodeDisruption(index: WorldIndex, node: Parameters<WorldIndex['podsOn']>[0]): number {
  return index
    .podsOn(node)
    .filter((pod) => !isTerminal(pod) && !isOwnedByDaemonSet(pod))
    .reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), NODE_BASE_COST);
}
