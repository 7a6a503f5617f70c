import type { DisruptionReason, NodePool } from '../apis/node-pool.ts';
import { allowedDisruptions, budgetProblem, type PoolBudget, UNLIMITED } from '../disruption/budgets.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { type BudgetRule, budgetRules, nextAllowance } from './budget-windows.ts';

/** What a pool's budgets allow for one reason, worked out. */
export interface BudgetOutlook {
  readonly reason: DisruptionReason;
  /** Nodes that percentages are taken of. */
  readonly nodes: number;
  /** Of those, not ready or on their way out: they use up budget. */
  readonly disrupting: number;
  /** Before `disrupting` is taken off, and after; null without a budget in force. */
  readonly allowed: number | null;
  readonly remaining: number | null;
  /** How that comes about. */
  readonly because: string;
  /** When the number allowed next changes; absent when it never does. */
  readonly next?: { readonly at: string; readonly allowed: number | null };
}

/** `now` in epoch milliseconds. */
export function budgetOutlook(
  nodePool: NodePool,
  reason: DisruptionReason,
  { nodes, disrupting, allowed, remaining }: PoolBudget,
  now: number,
): BudgetOutlook {
  const unlimited = allowed >= UNLIMITED;
  const next = nextAllowance(nodePool, reason, nodes, now);
  return {
    reason,
    nodes,
    disrupting,
    allowed: unlimited ? null : allowed,
    remaining: unlimited ? null : remaining,
    because: unlimited
      ? 'no budget is in force for this reason'
      : because(nodePool, reason, { nodes, disrupting, now }),
    ...(next ? { next: { at: formatTimestamp(next.at), allowed: next.allowed } } : {}),
  };
}

interface Moment {
  readonly nodes: number;
  readonly disrupting: number;
  readonly now: number;
}

/** The strictest budget in force decides; one that can't be read closes the pool. */
function because(nodePool: NodePool, reason: DisruptionReason, { nodes, disrupting, now }: Moment): string {
  if (budgetProblem(nodePool)) return "one of its budgets can't be read";
  const inForce = budgetRules(nodePool, now)
    .filter(({ active, reasons }) => active && (reasons === null || reasons.includes(reason)))
    .map((rule) => ({ rule, comesTo: allowedBy(nodePool, rule, reason, nodes, now) }))
    .sort((a, b) => a.comesTo - b.comesTo);
  const [strictest] = inForce;
  if (!strictest) return '';
  const { rule, comesTo } = strictest;
  const share = rule.nodes.endsWith('%');
  const sum = share
    ? `${rule.nodes} of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, rounded up, is ${comesTo}`
    : `the budget is ${rule.nodes}`;
  const window = rule.schedule === undefined ? '' : ` (its window "${rule.schedule}" for ${rule.duration} is open)`;
  const others = inForce.length > 1 ? `, the strictest of ${inForce.length}` : '';
  const down = disrupting > 0 ? `, less ${disrupting} down or leaving already` : '';
  return `${sum}${window}${others}${down}`;
}

function allowedBy(nodePool: NodePool, rule: BudgetRule, reason: DisruptionReason, nodes: number, now: number): number {
  const disruption = { ...nodePool.spec.disruption, budgets: [{ nodes: rule.nodes }] };
  return allowedDisruptions({ ...nodePool, spec: { ...nodePool.spec, disruption } }, reason, nodes, now);
}
