import type { NodePool } from '../apis/node-pool.ts';
import { poolBudgets, UNLIMITED } from '../disruption/budgets.ts';
import { findCondition } from '../kube/conditions.ts';
import type { KubeObject } from '../kube/objects.ts';
import { type BufferOutcome, bufferOutcomes } from '../scheduling/buffers/buffer-outcomes.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PoolAndTypes, Results, StateNode } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { type DriftedNode, type Drifting, driftPreview, priceIn } from './drift-preview.ts';
import { type FieldChange, fieldChanges } from './field-change.ts';
import { type PlannedClaimReport, plannedClaimReport, podName } from './plan-report.ts';
import { forecastRoll, type Roll } from './roll-forecast.ts';
import { missingReplicas, staticClaim } from './static-claims.ts';

const HOURS_PER_MONTH = 730;
/** Of the API, for a pod that names none. */
const DEFAULT_GRACE_SECONDS = 30;

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
  /** What would be launched, in the course of time, for the pods of the nodes that drift. */
  readonly replacements: PlanSide;
  /** What becomes of the pods that each CapacityBuffer stands for, after the edit. */
  readonly buffers: readonly ({ readonly buffer: string } & BufferOutcome)[];
  readonly pods: {
    /** Pods that wait in vain now, and would get a place. */
    readonly gain: readonly string[];
    /** Pods that have a node or would get one now, and would be left without. */
    readonly lose: readonly string[];
  };
  /** Dollars an hour of all nodes, with what would be launched: without the edit, and with it once nodes have been replaced. */
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
  const leaving = drifting.filter(({ report }) => !isStuck(report));
  const planned = after.plan(false);
  const [sideBefore, sideAfter, replacements] = [
    side(before.plan(false), before, missingReplicas(before)),
    side(planned, after, missingReplicas(after)),
    side(replaced(after, leaving), after, oneForOne(after, leaving)),
  ];
  const cost = costOf(before, after, { leaving, sideBefore, sideAfter, replacements });
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'PlanDiffReport',
    differs: changes.some(({ change }) => change !== 'unchanged'),
    pools,
    others: changes.filter(({ kind }) => kind !== 'NodePool'),
    assumptions,
    drift: drifting.map(({ report }) => report),
    rolls: rollsOf(after, leaving),
    before: sideBefore,
    after: sideAfter,
    replacements,
    buffers: [...bufferOutcomes(planned)].map(([buffer, outcome]) => ({ buffer, ...outcome })),
    pods: {
      gain: sideBefore.unplaced.filter((pod) => !sideAfter.unplaced.includes(pod)),
      lose: sideAfter.unplaced.filter((pod) => !sideBefore.unplaced.includes(pod)),
    },
    cost,
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

/** Drift leaves a node alone whose pods would have no place. */
function isStuck({ blockers }: DriftedNode): boolean {
  return blockers.some(({ code }) => code === 'PodsUnschedulable');
}

interface CostParts {
  readonly leaving: readonly Drifting[];
  readonly sideBefore: PlanSide;
  readonly sideAfter: PlanSide;
  readonly replacements: PlanSide;
}

function costOf(before: Analysis, after: Analysis, parts: CostParts): PlanDiffReport['cost'] {
  const leaving = new Set(parts.leaving.map(({ node }) => node));
  const staying = after.world.nodes.filter((node) => !leaving.has(node));
  const costBefore =
    total(before.world.nodes.map((node) => priceIn(before.world, node))) + priceOfSide(parts.sideBefore);
  const costAfter =
    total(staying.map((node) => priceIn(after.world, node))) +
    priceOfSide(parts.replacements) +
    priceOfSide(parts.sideAfter);
  const hourly = costAfter - costBefore;
  return { before: costBefore, after: costAfter, hourly, monthly: hourly * HOURS_PER_MONTH };
}

/** Rounds are as long as nodes take to start, by the claims that are there, and their pods to end. */
function rollsOf(analysis: Analysis, drifting: readonly Drifting[]): readonly Roll[] {
  const { world } = analysis;
  const budgets = poolBudgets(world, 'Drifted');
  const byPool = Map.groupBy(
    drifting.filter(({ report }) => report.reason !== 'NodePoolDeleted'),
    ({ report }) => report.nodePool,
  );
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

/**
 * The packer's answer for the pods of nodes that drift. Limits don't count: nodes are replaced a few at a time, and each
 * gives its share back, while one pass over all of them would reserve the largest type for every one. Nodes of removed
 * pools are none of these: the pass for the pods that wait has placed theirs.
 */
function replaced(analysis: Analysis, drifting: readonly Drifting[]): Results {
  const { world } = analysis;
  const leaving = new Set(drifting.map(({ node }) => node).filter((node) => !isOfStaticPool(analysis, node)));
  const names = new Set([...leaving].filter((node) => !node.markedForDeletion).map(stateNodeName));
  const moving = world.pods.filter((pod) => names.has(pod.spec.nodeName ?? '') && isReschedulable(pod));
  const nodes = world.nodes.filter((node) => !leaving.has(node));
  const pools = world.pools.map((pool) => ({ ...pool, nodePool: unlimited(pool.nodePool) }));
  return analysis.solve({ ...world, nodes, pools }, moving, false);
}

/** Nodes of static pools are replaced by the pool's template, whatever runs on them. */
function oneForOne(analysis: Analysis, drifting: readonly Drifting[]): readonly PlannedClaimReport[] {
  return drifting.flatMap(({ node, report }) => {
    const pool = poolNamed(analysis, report.nodePool);
    return pool && isOfStaticPool(analysis, node) ? [staticClaim(pool, analysis.wellKnown)] : [];
  });
}

function isOfStaticPool(analysis: Analysis, node: StateNode): boolean {
  return poolNamed(analysis, nodePoolName(node))?.nodePool.spec.replicas !== undefined;
}

function poolNamed({ world }: Analysis, name: string | undefined): PoolAndTypes | undefined {
  return world.pools.find(({ nodePool }) => nodePool.metadata.name === name);
}

function unlimited(nodePool: NodePool): NodePool {
  const { limits: _, ...spec } = nodePool.spec;
  return { ...nodePool, spec };
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
