import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../apis/nodepool-hash.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import { isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { areRequirementsDrifted } from '../scheduling/pool-drift.ts';
import { nodeLabels, nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { Results, StateNode } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { disruptionOf } from './disruption.ts';
import { requirementDrift, templateDrift } from './drifted-fields.ts';
import { type FieldChange, fieldChanges } from './field-change.ts';
import { nodePrice } from './node-price.ts';
import { type PlannedClaimReport, plannedClaimReport, podName } from './plan-report.ts';

const HOURS_PER_MONTH = 730;
/** Allowed disruptions beyond this mean that no budget is in force. */
const NO_LIMIT = 2 ** 31 - 1;

export interface PoolChange {
  readonly name: string;
  readonly change: 'added' | 'changed' | 'unchanged';
  readonly fields: readonly FieldChange[];
  /** Why the controller would refuse the pool and launch nothing from it. */
  readonly problems: readonly string[];
  /** Drifted nodes that its budgets let go at once now; null without a budget in force. */
  readonly driftBudget: number | null;
}

export interface DriftedNode {
  readonly node: string;
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly reason: 'NodePoolDrifted' | 'RequirementsDrifted';
  /** The node has drifted without the edit too. */
  readonly already: boolean;
  /** `from` is what the node has, `to` what its pool asks for. */
  readonly fields: readonly FieldChange[];
  /** Per hour. */
  readonly price: number | null;
}

/** What is done for the pods that wait. */
export interface PlanSide {
  readonly newNodeClaims: readonly PlannedClaimReport[];
  /** Pods without a place, `ns/name`, sorted. */
  readonly unplaced: readonly string[];
}

export interface PlanDiffReport {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'PlanDiffReport';
  readonly differs: boolean;
  readonly pools: readonly PoolChange[];
  readonly drift: readonly DriftedNode[];
  readonly before: PlanSide;
  readonly after: PlanSide;
  /** What would be launched, in the course of time, for the pods of the nodes that drift. */
  readonly replacements: PlanSide;
  /** Dollars an hour of all nodes, with what would be launched: without the edit, and with it once nodes have been replaced. */
  readonly cost: { readonly before: number; readonly after: number; readonly hourly: number; readonly monthly: number };
}

export interface PlanDiffQuestion {
  readonly before: Analysis;
  /** The same cluster with the edited pools in it. */
  readonly after: Analysis;
  /** As they would be stored, defaults filled in. */
  readonly edited: readonly NodePool[];
  readonly problems: (nodePool: NodePool) => readonly string[];
}

/** What an edit to NodePools would do: fields, drift, launches, cost. */
export function planDiffReport({ before, after, edited, problems }: PlanDiffQuestion): PlanDiffReport {
  const budgets = disruptionOf(after).budgets('Drifted');
  const pools = edited.map((pool): PoolChange => {
    const { name } = pool.metadata;
    const old = poolNamed(before, name);
    const fields = fieldChanges(old?.spec, pool.spec, 'spec');
    const budget = budgets.get(name);
    return {
      name,
      change: old ? (fields.length > 0 ? 'changed' : 'unchanged') : 'added',
      fields: old ? fields : [],
      problems: problems(pool),
      driftBudget: !budget || budget.allowed >= NO_LIMIT ? null : budget.remaining,
    };
  });
  const drifting = edited.flatMap((pool) => driftOf(pool, before, after));
  const launched = replaced(after, new Set(drifting.map(({ node }) => node)));
  const [sideBefore, sideAfter, replacements] = [
    side(before.plan(false), before),
    side(after.plan(false), after),
    side(launched, after),
  ];
  const now = total(before.world.nodes.map((node) => priceOf(node, before)));
  const costBefore = now + priceOfSide(sideBefore);
  const leaving = total(drifting.map(({ report }) => report.price));
  const costAfter = now - leaving + priceOfSide(replacements) + priceOfSide(sideAfter);
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'PlanDiffReport',
    differs: pools.some(({ change }) => change !== 'unchanged'),
    pools,
    drift: drifting.map(({ report }) => report),
    before: sideBefore,
    after: sideAfter,
    replacements,
    cost: {
      before: costBefore,
      after: costAfter,
      hourly: costAfter - costBefore,
      monthly: (costAfter - costBefore) * HOURS_PER_MONTH,
    },
  };
}

function poolNamed({ world }: Analysis, name: string): NodePool | undefined {
  return world.pools.find(({ nodePool }) => nodePool.metadata.name === name)?.nodePool;
}

interface Drifting {
  readonly node: StateNode;
  readonly report: DriftedNode;
}

/** Nodes of the pool that are no longer what it asks for after the edit. A static pool's are replaced one for one. */
function driftOf(pool: NodePool, before: Analysis, after: Analysis): readonly Drifting[] {
  const { name } = pool.metadata;
  const old = poolNamed(before, name);
  if (!old) return [];
  const [oldHash, newHash] = [nodePoolHash(old), nodePoolHash(pool)];
  return after.world.nodes.flatMap((node) => {
    const claim = node.nodeClaim;
    if (!claim || nodePoolName(node) !== name || node.markedForDeletion) return [];
    const hash = stampedHash(claim) ?? oldHash;
    const byHash = hash !== newHash;
    if (!byHash && !areRequirementsDrifted(pool, claim)) return [];
    const template = byHash ? templateDrift(pool, claim) : [];
    const changed =
      template.length > 0 || !byHash ? template : fieldChanges(old.spec.template, pool.spec.template, 'spec.template');
    const report: DriftedNode = {
      node: stateNodeName(node),
      nodeClaim: claim.metadata.name,
      nodePool: name,
      reason: byHash ? 'NodePoolDrifted' : 'RequirementsDrifted',
      already: hash !== oldHash || areRequirementsDrifted(old, claim) || conditionIsTrue(claim, 'Drifted'),
      fields: [...changed, ...requirementDrift(pool, claim)],
      price: priceOf(node, before) ?? null,
    };
    return [{ node, report }];
  });
}

/** A hash of another version says nothing: the controller would stamp the pool's over it before comparing. */
function stampedHash({ metadata: { annotations = {} } }: NodeClaim): string | undefined {
  return annotations[ANNOTATION_NODEPOOL_HASH_VERSION] === NODEPOOL_HASH_VERSION
    ? annotations[ANNOTATION_NODEPOOL_HASH]
    : undefined;
}

/**
 * The packer's answer for the pods of nodes that leave. Limits don't count: nodes are replaced a few at a time, and each
 * gives its share back, while one pass over all of them would reserve the largest type for every one.
 */
function replaced(analysis: Analysis, leaving: ReadonlySet<StateNode>): Results {
  const { world } = analysis;
  const names = new Set([...leaving].map(stateNodeName));
  const moving = world.pods.filter((pod) => names.has(pod.spec.nodeName ?? '') && isReschedulable(pod));
  const nodes = world.nodes.filter((node) => !leaving.has(node));
  const pools = world.pools.map((pool) => ({ ...pool, nodePool: unlimited(pool.nodePool) }));
  return analysis.solve({ ...world, nodes, pools }, moving, false);
}

function unlimited(nodePool: NodePool): NodePool {
  const { limits: _, ...spec } = nodePool.spec;
  return { ...nodePool, spec };
}

function side(results: Results, { wellKnown }: Analysis): PlanSide {
  return {
    newNodeClaims: results.newNodeClaims.map((claim) => plannedClaimReport(claim, wellKnown)),
    unplaced: [...results.podErrors.keys()].map(podName).sort(),
  };
}

const priceOfSide = ({ newNodeClaims }: PlanSide): number => total(newNodeClaims.map((claim) => claim.cheapestPrice));

function priceOf(node: StateNode, { world }: Analysis): number | undefined {
  const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === nodePoolName(node));
  return nodePrice(nodeLabels(node), pool?.instanceTypes ?? []);
}

function total(prices: readonly (number | null | undefined)[]): number {
  return prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
}
