import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import type { Event, Node } from '../kube/objects.ts';
import { isTerminal } from '../kube/pods.ts';
import { allocatable } from '../scheduling/instance-offerings.ts';
import { isHashDrifted } from '../scheduling/pool-drift.ts';
import { Requirements } from '../scheduling/requirements.ts';
import { fits, toResources } from '../scheduling/resource-list.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { type StageReport, type StuckReport, stagesOf, stuckAt } from './claim-progress.ts';
import { commandContext, commandReport, type DisruptionCommandReport } from './command-report.ts';
import { NODE_CLAIM_CONDITIONS } from './condition-meanings.ts';
import {
  type ConditionExplanation,
  explainConditions,
  latestEvents,
  type ObjectEvent,
} from './conditions-explained.ts';
import { disruptionOf } from './disruption.ts';
import { type BlockerReport, explainedBlocker } from './disruption-report.ts';
import { requirementDrift, templateDrift } from './drifted-fields.ts';
import type { FieldChange } from './field-change.ts';
import { expiresAt, type Leaving, leavingOf } from './leaving.ts';
import { nodePrice } from './node-price.ts';
import { podName } from './plan-report.ts';
import { type BuyableType, cheapestTypes } from './pool-offerings.ts';

export interface NodeClaimExplanation {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'NodeClaimExplanation';
  readonly name: string;
  readonly deletionTimestamp?: string;
  readonly nodePool: string | null;
  readonly node: string | null;
  readonly instanceType: string | null;
  readonly zone: string | null;
  readonly capacityType: string | null;
  /** Per hour. */
  readonly price: number | null;
  /** On its node, `ns/name`, sorted. */
  readonly pods: readonly string[];
  readonly stages: readonly StageReport[];
  /** Where it is stuck; null for one that is initialized or on its way out. */
  readonly stuck: StuckReport | null;
  /** What it may still become, while it has not been launched. */
  readonly candidates: { readonly types: number; readonly cheapest: readonly BuyableType[] } | null;
  /** Of one that goes, and what that waits for; null of one that stays. */
  readonly leaving: Leaving | null;
  /** When it is deleted for its age, which budgets don't hold back; null when never. */
  readonly expiresAt: string | null;
  readonly conditions: readonly ConditionExplanation[];
  /** Why it is no longer what its pool asks for: `from` is what it has, `to` what the pool asks for. */
  readonly drift?: readonly FieldChange[];
  /** What consolidation would do with its node now, had it the turn; null when it has no node, goes anyway, or there are blockers. */
  readonly command: DisruptionCommandReport | null;
  readonly blockers: readonly BlockerReport[];
  /** Facts that no condition says. */
  readonly notes: readonly string[];
  readonly events: readonly ObjectEvent[];
}

export interface NodeClaimQuestion {
  readonly nodeClaim: NodeClaim;
  readonly analysis: Analysis;
  readonly events: readonly Event[];
}

/** A claim's life so far, where it is stuck, and what becomes of it. */
export function explainNodeClaim({ nodeClaim, analysis, events }: NodeClaimQuestion): NodeClaimExplanation {
  const { world, wellKnown } = analysis;
  const { metadata, status } = nodeClaim;
  const poolName = metadata.labels?.[LABEL_NODEPOOL];
  const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === poolName);
  const state = world.nodes.find((candidate) => candidate.nodeClaim?.metadata.name === metadata.name);
  const labels = metadata.labels ?? {};
  const nodeName = state?.node?.metadata.name ?? status?.nodeName;
  const drift = pool ? driftedFields(pool.nodePool, nodeClaim) : [];
  const leaving = leavingOf(state ?? { nodeClaim }, world);
  const isLaunched = conditionIsTrue(nodeClaim, 'Launched');
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'NodeClaimExplanation',
    name: metadata.name,
    ...(metadata.deletionTimestamp ? { deletionTimestamp: metadata.deletionTimestamp } : {}),
    nodePool: poolName ?? null,
    node: nodeName ?? null,
    instanceType: labels[LABEL_INSTANCE_TYPE] ?? null,
    zone: labels[LABEL_ZONE] ?? null,
    capacityType: labels[LABEL_CAPACITY_TYPE] ?? null,
    price: nodePrice(labels, pool?.instanceTypes ?? []) ?? null,
    pods: world.pods
      .filter((pod) => nodeName !== undefined && pod.spec.nodeName === nodeName && !isTerminal(pod))
      .map(podName)
      .sort(),
    stages: stagesOf(nodeClaim),
    stuck: stuckAt(nodeClaim, state?.node ?? nodeOf(nodeClaim, analysis)) ?? null,
    candidates: pool && !isLaunched ? candidatesOf(nodeClaim, pool, wellKnown) : null,
    leaving: leaving ?? null,
    expiresAt: expiresAt(nodeClaim),
    conditions: explainConditions(status?.conditions, NODE_CLAIM_CONDITIONS),
    ...(drift.length > 0 ? { drift } : {}),
    ...future(leaving ? undefined : state && stateNodeName(state), analysis),
    notes: notesOf(nodeClaim, pool?.nodePool, drift),
    events: latestEvents(nodeClaim, events),
  };
}

function nodeOf({ status }: NodeClaim, { world }: Analysis): Node | undefined {
  return world.nodes.find(({ node }) => node && node.metadata.name === status?.nodeName)?.node;
}

function future(node: string | undefined, analysis: Analysis): Pick<NodeClaimExplanation, 'command' | 'blockers'> {
  if (node === undefined) return { command: null, blockers: [] };
  const verdict = disruptionOf(analysis).verdict(node);
  if (verdict.command) {
    const context = commandContext(analysis.world, analysis.wellKnown);
    return { command: commandReport(verdict.command, context), blockers: [] };
  }
  const words = new BlockedNodes(analysis);
  return { command: null, blockers: verdict.blockers.map((blocker) => explainedBlocker([node], blocker, words)) };
}

function candidatesOf(
  { spec }: NodeClaim,
  pool: PoolAndTypes,
  wellKnown: ReadonlySet<string>,
): NodeClaimExplanation['candidates'] {
  const requests = toResources(spec.resources?.requests);
  const large = pool.instanceTypes.filter((type) => fits(requests, allocatable(type)));
  const types = cheapestTypes(large, Requirements.fromItems(spec.requirements), wellKnown);
  return { types: types.length, cheapest: types.slice(0, 5) };
}

/** The template's fields count only when its hash says that it has changed; requirements always do. */
function driftedFields(nodePool: NodePool, nodeClaim: NodeClaim): readonly FieldChange[] {
  const template = isHashDrifted(nodePool, nodeClaim) ? templateDrift(nodePool, nodeClaim) : [];
  return [...template, ...requirementDrift(nodePool, nodeClaim)];
}

function notesOf(nodeClaim: NodeClaim, nodePool: NodePool | undefined, drift: readonly FieldChange[]): string[] {
  const { labels, finalizers = [], deletionTimestamp } = nodeClaim.metadata;
  const notes: string[] = [];
  const poolName = labels?.[LABEL_NODEPOOL];
  if (poolName && !nodePool) notes.push(`its NodePool "${poolName}" no longer exists: the claim will be deleted`);
  if (nodePool && isHashDrifted(nodePool, nodeClaim)) {
    const gone = drift.length === 0 ? ' (a label or annotation was taken out of it, or a field was changed back)' : '';
    notes.push(`the template of its NodePool has changed since the launch${gone}: it drifts`);
  }
  if (deletionTimestamp && finalizers.length > 0) notes.push(`being deleted; waits for ${finalizers.join(', ')}`);
  return notes;
}
