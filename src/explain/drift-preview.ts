import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../apis/nodepool-hash.ts';
import { withCondition } from '../apis/with-condition.ts';
import type { Blocker } from '../disruption/index.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import { areRequirementsDrifted } from '../scheduling/pool-drift.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { disruptionOf } from './disruption.ts';
import { type BlockerReport, explainedBlocker } from './disruption-report.ts';
import { requirementDrift, templateDrift } from './drifted-fields.ts';
import { type FieldChange, fieldChanges } from './field-change.ts';
import { priceIn } from './node-price.ts';

export interface DriftedNode {
  readonly node: string;
  readonly nodeClaim: string;
  readonly nodePool: string;
  /**
   * A field that the pool's hash covers has changed; or its requirements, which aren't hashed, no longer allow the node; or
   * the pool is gone, and budgets don't count.
   */
  readonly reason: 'NodePoolDrifted' | 'RequirementsDrifted' | 'NodePoolDeleted';
  /** The node has drifted without the edit too. */
  readonly already: boolean;
  /** `from` is what the node has, `to` what its pool asks for. */
  readonly fields: readonly FieldChange[];
  /** What keeps the node from being replaced as things are, budgets aside; without a place for its pods it stays. */
  readonly blockers: readonly BlockerReport[];
  /** Per hour. */
  readonly price: number | null;
}

export interface Drifting {
  readonly node: StateNode;
  readonly report: DriftedNode;
}

/** What keeps a node from ending once it has been deleted. */
const HOLD_A_DRAIN: ReadonlySet<string> = new Set([
  'DoNotDisruptPod',
  'PodDisruptionBudget',
  'MultiplePodDisruptionBudgets',
]);

/** Nodes that are no longer what their pool asks for after the edit, and those whose pool is taken away. */
export function driftPreview(before: Analysis, after: Analysis, pools: readonly NodePool[]): readonly Drifting[] {
  const edited = pools.flatMap((pool) => driftOf(pool, before, after));
  const removed = removedNodes(before, after);
  return [
    ...withBlockers(edited, after),
    // After the edit they are leaving already, and no method has anything to say about them.
    ...withBlockers(removed, before, HOLD_A_DRAIN),
  ];
}

function withBlockers(
  drifting: readonly Drifting[],
  analysis: Analysis,
  codes?: ReadonlySet<string>,
): readonly Drifting[] {
  const blockedNodes = new BlockedNodes(analysis);
  const found = obstacles(analysis, new Set(drifting.map(({ report }) => report.node)));
  return drifting.map(({ node, report }) => {
    const own = (found.get(report.node) ?? []).filter(({ code }) => !codes || codes.has(code));
    const blockers = own.map((blocker) => explainedBlocker([report.node], blocker, blockedNodes));
    return { node, report: { ...report, blockers } };
  });
}

function driftOf(pool: NodePool, before: Analysis, after: Analysis): readonly Drifting[] {
  const { name } = pool.metadata;
  const old = before.world.pools.find(({ nodePool }) => nodePool.metadata.name === name)?.nodePool;
  if (!old) return [];
  const types = after.world.pools.find(({ nodePool }) => nodePool.metadata.name === name)?.instanceTypes ?? [];
  const [oldHash, newHash] = [nodePoolHash(old), nodePoolHash(pool)];
  return after.world.nodes.flatMap((node) => {
    const claim = node.nodeClaim;
    if (!claim || nodePoolName(node) !== name || node.markedForDeletion) return [];
    const hash = stampedHash(claim) ?? oldHash;
    const byHash = hash !== newHash;
    if (!byHash && !areRequirementsDrifted(pool, claim, types)) return [];
    const template = byHash ? templateDrift(pool, claim) : [];
    const changed =
      template.length > 0 || !byHash ? template : fieldChanges(old.spec.template, pool.spec.template, 'spec.template');
    const report = reportOf(node, claim, before.world, {
      reason: byHash ? 'NodePoolDrifted' : 'RequirementsDrifted',
      already: hash !== oldHash || areRequirementsDrifted(old, claim, types) || conditionIsTrue(claim, 'Drifted'),
      fields: [...changed, ...requirementDrift(pool, claim, types)],
    });
    return [{ node, report }];
  });
}

function removedNodes(before: Analysis, after: Analysis): readonly Drifting[] {
  const kept = new Set(after.world.pools.map(({ nodePool }) => nodePool.metadata.name));
  const gone = before.world.pools.map(({ nodePool }) => nodePool.metadata.name).filter((name) => !kept.has(name));
  return after.world.nodes.flatMap((node) => {
    const claim = node.nodeClaim;
    if (!claim || !gone.includes(nodePoolName(node) ?? '')) return [];
    const already = before.world.nodes.some((n) => n.markedForDeletion && stateNodeName(n) === stateNodeName(node));
    const report = reportOf(node, claim, before.world, { reason: 'NodePoolDeleted', already, fields: [] });
    return [{ node, report }];
  });
}

function reportOf(
  node: StateNode,
  claim: NodeClaim,
  world: World,
  drift: Pick<DriftedNode, 'reason' | 'already' | 'fields'>,
): DriftedNode {
  const name = nodePoolName(node) ?? '';
  return {
    node: stateNodeName(node),
    nodeClaim: claim.metadata.name,
    nodePool: name,
    ...drift,
    blockers: [],
    price: priceIn(world, node) ?? null,
  };
}

/** A hash of another version says nothing: the controller would stamp the pool's over it before comparing. */
function stampedHash({ metadata: { annotations = {} } }: NodeClaim): string | undefined {
  return annotations[ANNOTATION_NODEPOOL_HASH_VERSION] === NODEPOOL_HASH_VERSION
    ? annotations[ANNOTATION_NODEPOOL_HASH]
    : undefined;
}

/** What the controller's own methods say against replacing these nodes, once they are marked as drifted. */
function obstacles(analysis: Analysis, names: ReadonlySet<string>): ReadonlyMap<string, readonly Blocker[]> {
  if (names.size === 0) return new Map();
  const disruption = disruptionOf(analysis.of(driftedWorld(analysis.world, names)));
  return new Map(
    [...names].map((name) => {
      const verdict = disruption.driftVerdict(name);
      const blockers = verdict.command ? [] : verdict.blockers;
      return [name, [...new Map(blockers.map((blocker) => [blocker.code, blocker])).values()]];
    }),
  );
}

/** The world with these nodes marked as drifted, and no budget that holds them. */
export function driftedWorld(world: World, names: ReadonlySet<string>): World {
  return {
    ...world,
    nodes: world.nodes.map((node) => (names.has(stateNodeName(node)) ? drifted(node, world.now) : node)),
    pools: world.pools.map((pool) => ({ ...pool, nodePool: withoutBudgets(pool.nodePool) })),
  };
}

function withoutBudgets(nodePool: NodePool): NodePool {
  const disruption = { ...nodePool.spec.disruption, budgets: [] };
  return { ...nodePool, spec: { ...nodePool.spec, disruption } };
}

function drifted(node: StateNode, now: number): StateNode {
  const claim = node.nodeClaim;
  if (!claim || conditionIsTrue(claim, 'Drifted')) return node;
  const conditions = withCondition(claim.status?.conditions ?? [], { type: 'Drifted', status: 'True' }, now);
  return { ...node, nodeClaim: { ...claim, status: { ...claim.status, conditions } } };
}
