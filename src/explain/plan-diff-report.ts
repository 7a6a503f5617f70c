import type { NodePool } from '../apis/node-pool.ts';
import { poolBudgets, UNLIMITED } from '../disruption/budgets.ts';
import { findCondition } from '../kube/conditions.ts';
import type { KubeObject } from '../kube/objects.ts';
import { type BufferOutcome, bufferOutcomes } from '../scheduling/buffers/buffer-outcomes.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { isReschedulable } from '../scheduling/pod-lifecycle.ts';
import type { PoolAndTypes, Results, StateNode } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { type DriftedNode, type Drifting, driftPreview } from './drift-preview.ts';
import { type FieldChange, fieldChanges } from './field-change.ts';
import { monthly } from './monthly.ts';
import { priceIn } from './node-price.ts';
import { type PlannedClaimReport, plannedClaimReport, podName } from './plan-report.ts';
import { forecastRoll, type Roll } from './roll-forecast.ts';
import { rollOut } from './roll-out.ts';
import { missingReplicas } from './static-claims.ts';

/** Of the API, for a pod that names none. */
const DEFAULT_GRACE_SECONDS = 30;
const ESTIMATE =
  'the pods of all nodes that drift are packed at once: the nodes are too many to be followed one by one';

export interface ObjectChange {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly change: 'added' | 'changed' | 'unchanged' | 'removed';
  readonly fields: readonly FieldChange[];
  /** Why the API would refuse it, in its words: nothing changes then. */
  readonly refusals: readonly string[];
  /** Why the controller would not use it, in its words. */
  readonly problems: readonly string[];
}

export interface PoolChange extends ObjectChange {
  readonly kind: 'NodePool';
  /** Drifted nodes that its budgets let go at once now; null without a budget in force. */
  readonly driftBudget: number | null;
}

/** What is done for the pods that wait. */
export interface PlanSide {
  readonly newNodeClaims: readonly PlannedClaimReport[];
  /** Pods without a place, `ns/name`, sorted; not those that only stand for the room of a buffer. */
  readonly unplaced: readonly string[];
}

export interface PlanDiffReport {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'PlanDiffReport';
  readonly differs: boolean;
  readonly pools: readonly PoolChange[];
  /** NodeOverlays and CapacityBuffers. */
  readonly others: readonly ObjectChange[];
  /** What the answer takes for granted. */
  readonly assumptions: readonly string[];
  readonly drift: readonly DriftedNode[];
  /** How replacing them goes on under budgets, pool by pool; nodes of removed pools go at once. */
  readonly rolls: readonly Roll[];
  readonly before: PlanSide;
  readonly after: PlanSide;
  /** What would be launched, in the course of time, for the nodes that drift and can go; and how often pods move for it. */
  readonly replacements: {
    readonly newNodeClaims: readonly PlannedClaimReport[];
    readonly podMoves: number;
    /** All pods were packed at once rather than node after node. */
    readonly isEstimate: boolean;
  };
  /** What becomes of the pods that each CapacityBuffer stands for, after the edit. */
  readonly buffers: readonly ({ readonly buffer: string } & BufferOutcome)[];
  readonly pods: {
    /** Pods that wait in vain now, and would get a place. */
    readonly gain: readonly string[];
    /** Pods that have a node or would get one now, and would be left without. */
    readonly lose: readonly string[];
  };
  /**
   * Dollars an hour of all nodes, with what would be launched: without the edit, and with it once all nodes have been
   * replaced that can be as things are.
   */
  readonly cost: { readonly before: number; readonly after: number; readonly hourly: number; readonly monthly: number };
}

/** One object of the edit. */
export interface Edit {
  /** As it would be stored, defaults filled in; undefined when it is to be removed. */
  readonly object: KubeObject | undefined;
  readonly stored: KubeObject | undefined;
  readonly refusals: readonly string[];
  readonly problems: readonly string[];
}

export interface PlanDiffQuestion {
  readonly before: Analysis;
  /** The same cluster after what the API accepts of the edit. */
  readonly after: Analysis;
  readonly edits: readonly Edit[];
  readonly assumptions: readonly string[];
}

/** What an edit to NodePools, NodeOverlays and CapacityBuffers would do: fields, drift, launches, pace, cost. */
export function planDiffReport({ before, after, edits, assumptions }: PlanDiffQuestion): PlanDiffReport {
  const budgets = poolBudgets(after.world, 'Drifted');
  const changes = edits.map(objectChange);
  const pools = changes.flatMap((change): PoolChange[] => {
    if (change.kind !== 'NodePool') return [];
    const budget = budgets.get(change.name);
    const driftBudget = !budget || budget.allowed >= UNLIMITED ? null : budget.remaining;
    return [{ ...change, kind: 'NodePool', driftBudget }];
  });
  const edited = edits.flatMap(({ object, refusals }) =>
    object?.kind === 'NodePool' && refusals.length === 0 ? [object as NodePool] : [],
  );
  const drifting = driftPreview(before, after, edited);
  const rolling = drifting.filter(({ report }) => report.reason !== 'NodePoolDeleted' && report.blockers.length === 0);
  const rolled = rollOut(after, new Set(rolling.map(({ report }) => report.node)));
  const planned = after.plan(false);
  const sideBefore = side(before.plan(false), before, missingReplicas(before));
  const sideAfter = side(planned, after, missingReplicas(after));
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'PlanDiffReport',
    differs: changes.some(({ change }) => change !== 'unchanged'),
    pools,
    others: changes.filter(({ kind }) => kind !== 'NodePool'),
    assumptions: [...assumptions, ...(rolled.isEstimate ? [ESTIMATE] : [])],
    drift: drifting.map(({ report }) => report),
    rolls: rollsOf(after, rolling),
    before: sideBefore,
    after: sideAfter,
    replacements: { newNodeClaims: rolled.launched, podMoves: rolled.moves, isEstimate: rolled.isEstimate },
    buffers: [...bufferOutcomes(planned)].map(([buffer, outcome]) => ({ buffer, ...outcome })),
    pods: {
      gain: sideBefore.unplaced.filter((pod) => !sideAfter.unplaced.includes(pod)),
      lose: sideAfter.unplaced.filter((pod) => !sideBefore.unplaced.includes(pod)),
    },
    cost: costOf(before, sideBefore, rolled.price + priceOfSide(sideAfter)),
  };
}

function objectChange({ object, stored, refusals, problems }: Edit): ObjectChange {
  const { kind = '', metadata } = object ?? stored ?? { metadata: { name: '' } };
  const spec = (of: KubeObject | undefined): unknown => (of as { readonly spec?: unknown } | undefined)?.spec;
  const fields = object && stored ? fieldChanges(spec(stored), spec(object), 'spec') : [];
  const change = object ? (stored ? (fields.length > 0 ? 'changed' : 'unchanged') : 'added') : 'removed';
  return {
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    change,
    fields,
    refusals,
    problems,
  };
}

function costOf({ world }: Analysis, launched: PlanSide, after: number): PlanDiffReport['cost'] {
  const before = total(world.nodes.map((node) => priceIn(world, node))) + priceOfSide(launched);
  const hourly = after - before;
  return { before, after, hourly, monthly: monthly(hourly) };
}

/** Rounds are as long as nodes take to start, by the claims that are there, and their pods to end. */
function rollsOf(analysis: Analysis, drifting: readonly Drifting[]): readonly Roll[] {
  const { world } = analysis;
  const budgets = poolBudgets(world, 'Drifted');
  const byPool = Map.groupBy(drifting, ({ report }) => report.nodePool);
  return [...byPool].flatMap(([name, members]) => {
    const nodePool = poolNamed(analysis, name)?.nodePool;
    const budget = budgets.get(name);
    if (!nodePool || !budget) return [];
    const names = new Set(members.map(({ report }) => report.node));
    const graces = world.pods
      .filter((pod) => names.has(pod.spec.nodeName ?? '') && isReschedulable(pod))
      .map((pod) => pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
    const drainSeconds = graces.length > 0 ? Math.max(...graces) : 0;
    const startSeconds = usualStart(world.nodes);
    const { nodes: all, disrupting } = budget;
    const roundMs = Math.max(1, startSeconds + drainSeconds) * 1000;
    return [forecastRoll({ nodePool, nodes: members.length, total: all, disrupting, now: world.now, roundMs })];
  });
}

/** Seconds from a claim's creation to its initialization: the median of the cluster's nodes. */
function usualStart(nodes: readonly StateNode[]): number {
  const seconds = nodes
    .flatMap(({ nodeClaim }) => {
      const done = findCondition(nodeClaim, 'Initialized');
      if (done?.status !== 'True') return [];
      const took = Date.parse(done.lastTransitionTime ?? '') - Date.parse(nodeClaim?.metadata.creationTimestamp ?? '');
      return took >= 0 ? [took / 1000] : [];
    })
    .sort((a, b) => a - b);
  return seconds[Math.floor(seconds.length / 2)] ?? 0;
}

function poolNamed({ world }: Analysis, name: string | undefined): PoolAndTypes | undefined {
  return world.pools.find(({ nodePool }) => nodePool.metadata.name === name);
}

function side(results: Results, { wellKnown }: Analysis, ofStatic: readonly PlannedClaimReport[]): PlanSide {
  return {
    newNodeClaims: [...results.newNodeClaims.map((claim) => plannedClaimReport(claim, wellKnown)), ...ofStatic],
    unplaced: [...results.podErrors.keys()]
      .filter((pod) => !isVirtualPod(pod))
      .map(podName)
      .sort(),
  };
}

const priceOfSide = ({ newNodeClaims }: PlanSide): number => total(newNodeClaims.map((claim) => claim.cheapestPrice));

function total(prices: readonly (number | null | undefined)[]): number {
  return prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
}
