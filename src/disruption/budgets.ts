/** Disruption budgets (karpenter-core.md 7.5, upstream's nodepool.go and disruption/helpers.go). */

import { parseDuration } from '../apis/duration.ts';
import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { Budget, DisruptionReason, NodePool } from '../apis/node-pool.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import { CronSyntaxError, parseCron } from '../kube/cron.ts';
import { isInitialized, isManaged, nodeLabels } from '../scheduling/state-node.ts';
import type { StateNode, World } from '../scheduling/types.ts';

/** What a budget that is not active allows: no limit. */
export const UNLIMITED = 2 ** 31 - 1;
const DEFAULT_BUDGETS: readonly Budget[] = [{ nodes: '10%' }];

/** The pool's budgets, or what counts where it has none. */
export function budgetsOf(nodePool: NodePool): readonly Budget[] {
  return nodePool.spec.disruption?.budgets ?? DEFAULT_BUDGETS;
}

/** Whether the budget counts at `now` (epoch ms); undefined when its schedule or duration can't be read. */
export function isBudgetActive(budget: Budget, now: number): boolean | undefined {
  if (budget.schedule === undefined && budget.duration === undefined) return true;
  const duration = parseDuration(budget.duration ?? '0s');
  if (duration === undefined) return undefined;
  try {
    const next = parseCron(budget.schedule ?? '').next(now - duration);
    // A schedule that never comes counts as come: upstream's library answers with the beginning of time.
    return next === undefined || next <= now;
  } catch (error) {
    if (error instanceof CronSyntaxError) return undefined;
    throw error;
  }
}

/** The first budget of the pool that can't be read, by field and value: it closes the pool. */
export function budgetProblem(nodePool: NodePool): string | undefined {
  for (const [i, { schedule, duration, nodes }] of (nodePool.spec.disruption?.budgets ?? []).entries()) {
    const field = (name: string, value: string, why: string): string =>
      `spec.disruption.budgets[${i}].${name} "${value}" can't be read${why}`;
    if (scaled(nodes, 0) === undefined) return field('nodes', nodes, '');
    if (duration !== undefined && parseDuration(duration) === undefined) return field('duration', duration, '');
    if (schedule === undefined) continue;
    try {
      parseCron(schedule);
    } catch (error) {
      if (!(error instanceof CronSyntaxError)) throw error;
      return field('schedule', schedule, `: ${error.message}`);
    }
  }
  return undefined;
}

/** A count, or a percentage of `total` rounded up; undefined when it is neither. */
function scaled(nodes: string, total: number): number | undefined {
  if (/^[+-]?\d+$/.test(nodes)) return Number(nodes);
  const percent = /^(\d+)%$/.exec(nodes)?.[1];
  return percent === undefined ? undefined : Math.ceil((Number(percent) * total) / 100);
}

/**
 * How many of the pool's `total` nodes may be disrupted for `reason`, those that are already down included. Zero for
 * every reason when any budget can't be read.
 */
export function allowedDisruptions(nodePool: NodePool, reason: DisruptionReason, total: number, now: number): number {
  let allowed = UNLIMITED;
  for (const budget of budgetsOf(nodePool)) {
    const active = isBudgetActive(budget, now);
    const nodes = scaled(budget.nodes, total);
    if (active === undefined || nodes === undefined) return 0;
    if (active && (budget.reasons === undefined || budget.reasons.includes(reason))) allowed = Math.min(allowed, nodes);
  }
  return allowed;
}

export interface PoolBudget {
  /** Initialized nodes of the pool that count towards percentages. */
  readonly nodes: number;
  /** Of those, how many are not ready or on their way out. */
  readonly disrupting: number;
  /** What the budgets allow in all, before `disrupting` is taken off. */
  readonly allowed: number;
  readonly remaining: number;
}

function countsTowardsTotal(node: StateNode): boolean {
  return isManaged(node) && isInitialized(node) && !conditionIsTrue(node.nodeClaim, 'InstanceTerminating');
}

/** The budget of every pool for one reason, by pool name. */
export function poolBudgets(world: World, reason: DisruptionReason): ReadonlyMap<string, PoolBudget> {
  const nodes = new Map<string, number>();
  const disrupting = new Map<string, number>();
  for (const node of world.nodes) {
    if (!countsTowardsTotal(node)) continue;
    const pool = nodeLabels(node)[LABEL_NODEPOOL] ?? '';
    nodes.set(pool, (nodes.get(pool) ?? 0) + 1);
    const ready = node.node?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True');
    if (!ready || node.markedForDeletion) disrupting.set(pool, (disrupting.get(pool) ?? 0) + 1);
  }
  return new Map(
    world.pools.map(({ nodePool }) => {
      const name = nodePool.metadata.name;
      const total = nodes.get(name) ?? 0;
      const down = disrupting.get(name) ?? 0;
      const allowed = allowedDisruptions(nodePool, reason, total, world.now);
      return [name, { nodes: total, disrupting: down, allowed, remaining: Math.max(allowed - down, 0) }];
    }),
  );
}
