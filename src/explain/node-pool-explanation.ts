import { DEFAULT_EXPIRE_AFTER, lifetimeOf } from '../apis/expire-after.ts';
import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { DisruptionReason, NodePool } from '../apis/node-pool.ts';
import { nodePoolProblems } from '../apis/node-pool-problems.ts';
import type { LabelRules } from '../apis/restricted-labels.ts';
import { budgetProblem } from '../disruption/budgets.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import type { Event, KubeObject } from '../kube/objects.ts';
import { formatMilli, parseQuantityMilli } from '../kube/quantity.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { byWeight } from '../scheduling/node-pool-template.ts';
import { usablePool } from '../scheduling/node-pool-templates.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PoolAndTypes, StateNode } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { type BudgetRule, budgetRules } from './budget-windows.ts';
import { NODE_POOL_CONDITIONS } from './condition-meanings.ts';
import {
  type ConditionExplanation,
  explainConditions,
  latestEvents,
  type ObjectEvent,
} from './conditions-explained.ts';
import { disruptionOf } from './disruption.ts';
import { podName } from './plan-report.ts';
import { type BudgetOutlook, budgetOutlook } from './pool-budgets.ts';
import { type PoolOfferings, poolOfferings } from './pool-offerings.ts';
import { type PoolStatus, poolStatuses } from './status-report.ts';

const REASONS: readonly DisruptionReason[] = ['Underutilized', 'Empty', 'Drifted'];
const DAY_MS = 86_400_000;

export interface NodePoolExplanation {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'NodePoolExplanation';
  readonly name: string;
  readonly deletionTimestamp?: string;
  /** Why nothing is launched from it or nothing of it may be disrupted, whatever its conditions say. */
  readonly problems: readonly string[];
  readonly conditions: readonly ConditionExplanation[];
  /** Static pools keep this many nodes; null for the others, which pods make grow. */
  readonly replicas: number | null;
  readonly nodes: PoolStatus['nodes'];
  /** Claims without a node included. */
  readonly nodeClaims: number;
  readonly price: PoolStatus['price'];
  readonly order: {
    readonly weight: number;
    /** Its turn among the pools that pods may grow, from 1; null when it has none. */
    readonly position: number | null;
    readonly of: number;
    /** Pools of the same weight, in the order of their turns. */
    readonly tiedWith: readonly string[];
  };
  readonly limits: Readonly<Record<string, { readonly limit: string; readonly used: string; readonly left: string }>>;
  readonly budgets: readonly BudgetOutlook[];
  readonly budgetRules: readonly (Omit<BudgetRule, 'changesAt'> & { readonly changesAt?: string })[];
  readonly offerings: PoolOfferings;
  readonly consolidation: {
    readonly policy: string;
    readonly after: string;
    /** Nodes that are quiet for so long by now. */
    readonly quiet: number;
    /** Nodes that could go now if they had the turn. */
    readonly couldGo: number;
    /** Why the others stay: code to number of nodes. */
    readonly staying: Readonly<Record<string, number>>;
  };
  readonly drifted: number;
  readonly expiry: {
    readonly after: string;
    /** Budgets don't hold expiry back. */
    readonly withinADay: number;
    readonly next?: { readonly nodeClaim: string; readonly at: string };
  };
  readonly waiting: {
    /** Pods that get a new node of this pool. */
    readonly newNode: readonly string[];
    /** Pods without a place that come nearest to this pool. */
    readonly nearestMiss: readonly string[];
  };
  readonly events: readonly ObjectEvent[];
}

export interface NodePoolQuestion {
  readonly pool: PoolAndTypes;
  readonly analysis: Analysis;
  /** Everything that was read: node classes and claims among it. */
  readonly objects: readonly KubeObject[];
  readonly rules: LabelRules;
  readonly events: readonly Event[];
}

/** Whether a pool can be used, what it can buy, what its limits and budgets leave, and what waits on it. */
export function explainNodePool(question: NodePoolQuestion): NodePoolExplanation {
  const { pool, analysis, objects, events } = question;
  const { nodePool } = pool;
  const { world } = analysis;
  const { name, deletionTimestamp } = nodePool.metadata;
  const disruption = disruptionOf(analysis);
  const nodes = world.nodes.filter((node) => node.nodeClaim && nodePoolName(node) === name);
  const offerings = poolOfferings(pool, analysis.wellKnown);
  const [status] = poolStatuses({
    world,
    instanceTypes: pool.instanceTypes,
    budgets: (reason) => disruption.budgets(reason),
    selects: (candidate) => candidate === nodePool,
  });
  if (!status) throw new Error(`the pool ${name} is not in the world that it is explained in`);
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'NodePoolExplanation',
    name,
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
    problems: problemsOf(question, offerings),
    conditions: conditionsOf(nodePool, offerings),
    replicas: nodePool.spec.replicas ?? null,
    nodes: status.nodes,
    nodeClaims: objects.filter(({ kind, metadata }) => kind === 'NodeClaim' && ofPool(metadata.labels, name)).length,
    price: status.price,
    order: orderOf(nodePool, analysis),
    limits: limitsLeft(status.limits),
    budgets: REASONS.flatMap((reason) => {
      const budget = disruption.budgets(reason).get(name);
      return budget ? [budgetOutlook(nodePool, reason, budget, world.now)] : [];
    }),
    budgetRules: budgetRules(nodePool, world.now).map(({ changesAt, ...rule }) => ({
      ...rule,
      ...(changesAt === undefined ? {} : { changesAt: formatTimestamp(changesAt) }),
    })),
    offerings,
    consolidation: consolidationOf(nodePool, nodes, (node) => disruption.verdict(node)),
    drifted: nodes.filter(({ nodeClaim }) => conditionIsTrue(nodeClaim, 'Drifted')).length,
    expiry: expiryOf(nodePool, nodes, world.now),
    waiting: waitingFor(name, analysis),
    events: latestEvents(nodePool, events),
  };
}

/** The controller takes a pool for ready that can buy nothing. */
function conditionsOf(nodePool: NodePool, offerings: PoolOfferings): readonly ConditionExplanation[] {
  const { name } = nodePool.spec.template.spec.nodeClassRef;
  const conditions = explainConditions(nodePool.status?.conditions, NODE_POOL_CONDITIONS).map((condition) =>
    condition.type === 'NodeClassReady' && !condition.healthy
      ? { ...condition, next: `explain nodeclass ${name}` }
      : condition,
  );
  if (offerings.problems.length === 0) return conditions;
  const meaning = 'the controller takes it for ready, though nothing can be launched from it';
  return conditions.map((condition) =>
    condition.type === 'Ready' && condition.status === 'True' ? { ...condition, meaning, healthy: false } : condition,
  );
}

function ofPool(labels: Readonly<Record<string, string>> | undefined, name: string): boolean {
  return labels?.[LABEL_NODEPOOL] === name;
}

function problemsOf({ pool, analysis, objects, rules }: NodePoolQuestion, offerings: PoolOfferings): string[] {
  const { nodePool } = pool;
  const { kind, name } = nodePool.spec.template.spec.nodeClassRef;
  const classes = objects.filter((object) => object.kind === kind);
  const isMissing = classes.length > 0 && !classes.some(({ metadata }) => metadata.name === name);
  const budget = budgetProblem(nodePool);
  const isIdle = nodePool.spec.replicas !== undefined && !analysis.gates.StaticCapacity;
  return [
    ...nodePoolProblems(nodePool, rules).map(
      (problem) => `its spec is invalid, nothing is launched from it: ${problem}`,
    ),
    ...offerings.problems.map((problem) => `it can buy nothing: ${problem}`),
    ...(isMissing ? [`its node class ${kind} "${name}" does not exist`] : []),
    ...(isIdle ? ['it has replicas, and the feature gate StaticCapacity is off: it does nothing'] : []),
    ...(budget ? [`no node of it may be disrupted: ${budget}`] : []),
  ];
}

function orderOf(nodePool: NodePool, { world }: Analysis): NodePoolExplanation['order'] {
  const turns = world.pools
    .map((other) => other.nodePool)
    .filter(usablePool)
    .sort(byWeight);
  const weight = nodePool.spec.weight ?? 0;
  const position = turns.indexOf(nodePool);
  const tied = turns.filter((other) => (other.spec.weight ?? 0) === weight);
  return {
    weight,
    position: position < 0 ? null : position + 1,
    of: turns.length,
    tiedWith: position < 0 || tied.length < 2 ? [] : tied.map(({ metadata }) => metadata.name),
  };
}

function limitsLeft(limits: PoolStatus['limits']): NodePoolExplanation['limits'] {
  return Object.fromEntries(
    Object.entries(limits).map(([resource, { limit, used }]) => {
      const left = Math.max(0, parseQuantityMilli(limit) - parseQuantityMilli(used));
      return [resource, { limit, used, left: formatMilli(resource, left) }];
    }),
  );
}

type Verdict = ReturnType<ReturnType<typeof disruptionOf>['verdict']>;

function consolidationOf(
  { spec }: NodePool,
  nodes: readonly StateNode[],
  verdict: (node: string) => Verdict,
): NodePoolExplanation['consolidation'] {
  const staying: Record<string, number> = {};
  let couldGo = 0;
  for (const node of nodes) {
    const { command, ...refusal } = verdict(stateNodeName(node));
    if (command) couldGo++;
    else if ('blockers' in refusal) {
      for (const code of new Set(refusal.blockers.map((blocker) => blocker.code)))
        staying[code] = (staying[code] ?? 0) + 1;
    }
  }
  return {
    policy: spec.disruption?.consolidationPolicy ?? 'WhenEmptyOrUnderutilized',
    after: spec.disruption?.consolidateAfter ?? '0s',
    quiet: nodes.filter(({ nodeClaim }) => conditionIsTrue(nodeClaim, 'Consolidatable')).length,
    couldGo,
    staying: Object.fromEntries(Object.entries(staying).sort(([, a], [, b]) => b - a)),
  };
}

function expiryOf({ spec }: NodePool, nodes: readonly StateNode[], now: number): NodePoolExplanation['expiry'] {
  const due = nodes
    .flatMap(({ nodeClaim }) => {
      const lifetime = nodeClaim && lifetimeOf(nodeClaim.spec);
      if (!nodeClaim || lifetime === undefined) return [];
      return [
        { nodeClaim: nodeClaim.metadata.name, at: Date.parse(nodeClaim.metadata.creationTimestamp ?? '') + lifetime },
      ];
    })
    .sort((a, b) => a.at - b.at);
  const [next] = due;
  return {
    after: spec.template.spec.expireAfter ?? DEFAULT_EXPIRE_AFTER,
    withinADay: due.filter(({ at }) => at - now < DAY_MS).length,
    ...(next ? { next: { nodeClaim: next.nodeClaim, at: formatTimestamp(next.at) } } : {}),
  };
}

function waitingFor(name: string, analysis: Analysis): NodePoolExplanation['waiting'] {
  const { newNodeClaims, podErrors } = analysis.plan(true);
  const own = newNodeClaims.filter(({ nodePool }) => nodePool.metadata.name === name);
  const missed = [...podErrors].filter(([, { targets }]) => {
    const nearest = targets?.find(({ kind }) => kind === 'NodePool');
    return nearest?.name === name;
  });
  return {
    newNode: own.flatMap(({ pods }) => pods.map(podName)).sort(),
    nearestMiss: missed.map(([pod]) => podName(pod)).sort(),
  };
}
