import type { DisruptionReason } from '../apis/node-pool.ts';
import type { StateNode } from '../scheduling/types.ts';
import type { BalancedScorer } from './balanced.ts';
import { budgetProblem } from './budgets.ts';
import type { Candidate } from './candidate.ts';
import type { DisruptionClass } from './candidates.ts';
import type { LaunchPrices } from './prices.ts';
import type { SimulationOutcome } from './simulation.ts';
import type { Steps } from './steps.ts';
import type { Blocker, Command, DisruptOptions, MethodName, MethodResult, Move } from './types.ts';
import type { WorldIndex } from './world-index.ts';

/** What a method may use. Everything in it belongs to one frozen world. */
export interface MethodContext {
  /** Of the method that asks. */
  readonly reason: DisruptionReason;
  readonly index: WorldIndex;
  readonly options: DisruptOptions;
  readonly scorer: BalancedScorer;
  /** Keys that may be undefined: the built-in well-known labels and the provider's. */
  readonly wellKnown: ReadonlySet<string>;
  readonly prices: LaunchPrices;
  /** Packs the world without these nodes; with `onlyPool`, only that pool may grow. */
  simulate(without: readonly StateNode[], enforceConsolidateAfter: boolean, onlyPool?: string): SimulationOutcome;
  /** Notes that a possible move was weighed. */
  weighed(moves: readonly Move[]): void;
  /** Notes why a node was looked at and left alone. */
  block(node: string, blocker: Blocker): void;
}

export interface MethodRun {
  readonly commands: readonly Command[];
  /** The method's time ran out: what it has is returned, the rest was not looked at. */
  readonly timedOut: boolean;
  /** Some candidate was passed over for want of budget, so "nothing to do" is not the last word. */
  readonly constrainedByBudgets: boolean;
  /** Candidates that were not looked at before time ran out; they go first next time. */
  readonly unseenNodes: readonly string[];
}

/** One way of disrupting nodes (karpenter-core.md 7.1.3). */
export interface Method {
  readonly name: MethodName;
  readonly reason: DisruptionReason;
  readonly disruptionClass: DisruptionClass;
  readonly consolidationType: MethodResult['consolidationType'];
  /** Undefined when the candidate is one of this method's. */
  blocker(candidate: Candidate, context: MethodContext): Blocker | undefined;
  /** `budgets`: disruptions left by pool; the method takes from it what it uses. In steps where it may take long. */
  compute(
    candidates: readonly Candidate[],
    budgets: Map<string, number>,
    context: MethodContext,
  ): MethodRun | Steps<MethodRun>;
}

/** Whether the candidate's pool allows another disruption; notes a blocker when it doesn't. */
export function hasBudget(candidate: Candidate, budgets: ReadonlyMap<string, number>, context: MethodContext): boolean {
  const pool = candidate.nodePool.metadata.name;
  if ((budgets.get(pool) ?? 0) > 0) return true;
  const problem = budgetProblem(candidate.nodePool);
  context.block(candidate.name, {
    code: 'Budget',
    message: `NodePool "${pool}" allows no ${problem ? `disruption: ${problem}` : 'further disruption now'}`,
    objects: [`NodePool/${pool}`],
    reason: context.reason,
  });
  return false;
}

/** `hasBudget`, and takes one disruption off it. */
export function takeBudget(candidate: Candidate, budgets: Map<string, number>, context: MethodContext): boolean {
  if (!hasBudget(candidate, budgets, context)) return false;
  const pool = candidate.nodePool.metadata.name;
  budgets.set(pool, (budgets.get(pool) ?? 0) - 1);
  return true;
}

/** A run that found nothing, or all it was to find. */
export function finished(commands: readonly Command[], constrainedByBudgets = false): MethodRun {
  return { commands, timedOut: false, constrainedByBudgets, unseenNodes: [] };
}
