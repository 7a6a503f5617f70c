/** The Balanced policy: a move must save at least half the share of cost that it disrupts (karpenter-core.md 7.12). */
import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../apis/labels.ts';
import { isTerminal } from '../kube/pods.ts';
import { isOwnedByDaemonSet } from '../scheduling/pod-lifecycle.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import { type Candidate, totalPrice } from './candidate.ts';
import { evictionCost, NODE_BASE_COST } from './eviction-cost.ts';
import { offeringPrice } from './prices.ts';
import type { Command, Move, Score } from './types.ts';
import type { WorldIndex } from './world-index.ts';

/** A score of 1/K or more is approved. */
export const BALANCED_K = 2;

const PRICED_BY = [LABEL_NODEPOOL, LABEL_ZONE, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE];

interface PoolTotals {
  readonly cost: number;
  readonly disruption: number;
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

  constructor(index: WorldIndex, candidates: readonly Candidate[]) {
    const costs = poolCosts(index);
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
        { cost: costs.get(pool) || totalPrice(members), disruption: disruption.get(pool) ?? 0 },
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
  #scores(command: Command, candidates: readonly Candidate[]): ReadonlyMap<string, Score> {
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

  /** The move by pool, with its score in Balanced ones; it may be made if no pool refuses. */
  judge(command: Command, candidates: readonly Candidate[]): readonly Move[] {
    const scores = this.#scores(command, candidates);
    const pools = new Map(candidates.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
    return [...pools].map(([pool, { spec }]) => {
      const score = scores.get(pool);
      const policy = spec.disruption?.consolidationPolicy ?? 'WhenEmptyOrUnderutilized';
      return { nodePool: pool, policy, approved: score?.approved ?? true, ...(score ? { score } : {}) };
    });
  }
}

/**
 * Price per hour of all claims of each pool, candidates or not, as upstream's cost tracker counts it. A pool whose claims lack
 * labels or have no price is not in it, or with 0.
 */
function poolCosts(index: WorldIndex): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { nodeClaim } of index.world.nodes) {
    const labels = nodeClaim?.metadata.labels ?? {};
    const [pool, zone, capacityType, type] = PRICED_BY.map((key) => labels[key]);
    if (pool === undefined || zone === undefined || capacityType === undefined || type === undefined) continue;
    const instanceType = index.pool(pool)?.instanceTypes.get(type);
    const price = instanceType ? offeringPrice(instanceType, zone, capacityType) : 0;
    costs.set(pool, (costs.get(pool) ?? 0) + price);
  }
  return costs;
}

function nodeDisruption(index: WorldIndex, node: Parameters<WorldIndex['podsOn']>[0]): number {
  return index
    .podsOn(node)
    .filter((pod) => !isTerminal(pod) && !isOwnedByDaemonSet(pod))
    .reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), NODE_BASE_COST);
}
