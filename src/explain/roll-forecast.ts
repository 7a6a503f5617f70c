import type { NodePool } from '../apis/node-pool.ts';
import { allowedDisruptions, UNLIMITED } from '../disruption/budgets.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { nextBudgetChange } from './budget-windows.ts';

/** A roll that takes longer than this is not followed further. */
const HORIZON_MS = 90 * 86_400_000;
const MOST_ROUNDS = 10_000;

/** Rounds of equal size, one after the other. */
export interface RollStep {
  readonly from: string;
  readonly to: string;
  /** Nodes replaced at the same time in each round; null without a budget in force. */
  readonly atOnce: number | null;
  readonly nodes: number;
  readonly rounds: number;
}

export interface Roll {
  readonly nodePool: string;
  /** Static pools replace one for one, others by what the pods need. */
  readonly method: 'Drift' | 'StaticDrift';
  readonly nodes: number;
  readonly steps: readonly RollStep[];
  readonly rounds: number;
  /** When the last node would be gone; null when the budgets never let it go. */
  readonly until: string | null;
  readonly seconds: number | null;
}

export interface RollQuestion {
  readonly nodePool: NodePool;
  /** Nodes to replace, of all of the pool's. */
  readonly nodes: number;
  readonly total: number;
  /** Nodes of the pool that are down or leaving already: they use up budget. */
  readonly disrupting: number;
  readonly now: number;
  /** How long one round takes, in milliseconds. */
  readonly roundMs: number;
}

/** How replacing drifted nodes goes on under the pool's budgets, windows included, when every round takes as long. */
export function forecastRoll({ nodePool, nodes, total, disrupting, now, roundMs }: RollQuestion): Roll {
  const steps: RollStep[] = [];
  let left = nodes;
  let time = now;
  let rounds = 0;
  while (left > 0 && rounds < MOST_ROUNDS && time - now < HORIZON_MS) {
    const allowed = allowedDisruptions(nodePool, 'Drifted', total, time);
    const free = Math.max(allowed - disrupting, 0);
    if (free === 0) {
      const change = nextBudgetChange(nodePool, time);
      if (change === undefined) break;
      time = change;
      continue;
    }
    const size = Math.min(free, left);
    addRound(steps, { at: time, end: time + roundMs, atOnce: allowed >= UNLIMITED ? null : free, nodes: size });
    left -= size;
    time += roundMs;
    rounds++;
  }
  const done = left === 0;
  return {
    nodePool: nodePool.metadata.name,
    method: nodePool.spec.replicas === undefined ? 'Drift' : 'StaticDrift',
    nodes,
    steps,
    rounds,
    until: done ? formatTimestamp(time) : null,
    seconds: done ? Math.round((time - now) / 1000) : null,
  };
}

interface Round {
  readonly at: number;
  readonly end: number;
  readonly atOnce: number | null;
  readonly nodes: number;
}

/** A round that goes on as the one before it makes that step longer. */
function addRound(steps: RollStep[], { at, end, atOnce, nodes }: Round): void {
  const last = steps.at(-1);
  const from = formatTimestamp(at);
  if (last && last.to === from && last.atOnce === atOnce) {
    steps[steps.length - 1] = {
      ...last,
      to: formatTimestamp(end),
      nodes: last.nodes + nodes,
      rounds: last.rounds + 1,
    };
  } else steps.push({ from, to: formatTimestamp(end), atOnce, nodes, rounds: 1 });
}
