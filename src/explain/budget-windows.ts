import { parseDuration } from '../apis/duration.ts';
import type { Budget, DisruptionReason, NodePool } from '../apis/node-pool.ts';
import { allowedDisruptions, budgetsOf, isBudgetActive, UNLIMITED } from '../disruption/budgets.ts';
import { parseCron } from '../kube/cron.ts';

/** Hits of a schedule that are followed before its window counts as never ending. */
const MOST_HITS = 1500;
/** Changes of a pool's budgets that are followed in search of one that matters. */
const MOST_CHANGES = 500;

/** One budget of a pool at one moment. */
export interface BudgetRule {
  /** As it is written. */
  readonly nodes: string;
  /** Reasons that it limits; null for all. */
  readonly reasons: readonly string[] | null;
  readonly schedule?: string;
  readonly duration?: string;
  readonly active: boolean;
  /** When it next begins or ends to count; absent when it always counts or its schedule never comes. */
  readonly changesAt?: number;
}

/** The pool's budgets, defaults included, as they are at `now` (epoch milliseconds). */
export function budgetRules(nodePool: NodePool, now: number): readonly BudgetRule[] {
  return budgetsOf(nodePool).map((budget) => {
    const changesAt = nextChange(budget, now);
    return {
      nodes: budget.nodes,
      reasons: budget.reasons ?? null,
      ...(budget.schedule === undefined ? {} : { schedule: budget.schedule }),
      ...(budget.duration === undefined ? {} : { duration: budget.duration }),
      active: isBudgetActive(budget, now) ?? true,
      ...(changesAt === undefined ? {} : { changesAt }),
    };
  });
}

/** The next time after `now` at which any budget of the pool begins or ends to count; undefined when none does. */
export function nextBudgetChange(nodePool: NodePool, now: number): number | undefined {
  const times = budgetsOf(nodePool).flatMap((budget) => nextChange(budget, now) ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** When the number allowed for a reason next differs from now, and what it is then (null: no limit). */
export function nextAllowance(
  nodePool: NodePool,
  reason: DisruptionReason,
  total: number,
  now: number,
): { readonly at: number; readonly allowed: number | null } | undefined {
  const current = allowedDisruptions(nodePool, reason, total, now);
  let at: number | undefined = now;
  for (let i = 0; i < MOST_CHANGES; i++) {
    at = nextBudgetChange(nodePool, at);
    if (at === undefined) return undefined;
    const allowed = allowedDisruptions(nodePool, reason, total, at);
    if (allowed !== current) return { at, allowed: allowed >= UNLIMITED ? null : allowed };
  }
  return undefined;
}

/** Undefined for a budget that always counts, whose window never ends, or that can't be read. */
function nextChange(budget: Budget, now: number): number | undefined {
  const active = isBudgetActive(budget, now);
  const duration = parseDuration(budget.duration ?? '0s');
  if (active === undefined || duration === undefined || budget.schedule === undefined) return undefined;
  const schedule = parseCron(budget.schedule);
  if (!active) return schedule.next(now);
  let hit = schedule.next(now - duration);
  for (let i = 0; i < MOST_HITS && hit !== undefined; i++) {
    const next = schedule.next(hit);
    if (next === undefined || next > hit + duration) return hit + duration;
    hit = next;
  }
  return undefined;
}
