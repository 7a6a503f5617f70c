import { lifetimeOf } from '../../apis/expire-after.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { evictionCost } from '../../disruption/index.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../kube/controller.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import { NodeClaims, NodePools } from '../../kube/resources.ts';
import { doNotDisrupt, isOwnedByDaemonSet } from '../../scheduling/pod-lifecycle.ts';
import { nodePoolName } from '../../scheduling/state-node.ts';
import type { ControllerContext } from '../context.ts';
import { doNotDisruptEvents } from '../do-not-disrupt-events.ts';
import { BY_NODE_POOL } from '../indexes.ts';
import { poolOf } from '../nodeclaim/disrupted-labels.ts';
import { retried } from '../retried.ts';
import { isResized, isStaticPool } from './watches.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'nodeClaims' | 'cloud' | 'cluster' | 'clock' | 'recorder' | 'log'>;

const PERIOD_MS = 60_000;

/** Shrinks static pools to their size, least missed nodes first; budgets have no say (karpenter-core.md 7.14.2). */
export class StaticDeprovisioning implements ControllerSpec {
  readonly name = 'static.deprovisioning';
  readonly watches: readonly Watch[] = [
    watch(NodePools, (change) =>
      change.type === 'Added' || (change.type === 'Updated' && isResized(change.old, change.object))
        ? [change.object.metadata.name]
        : [],
    ),
    watch(NodeClaims, ({ type, object }) => (type === 'Added' ? [poolOf(object)] : [])),
  ];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodePools, cloud, cluster, log } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isStaticPool(cloud, nodePool)) return undefined;
    const { active } = cluster.pools.counts(key);
    const surplus = active - (nodePool.spec.replicas ?? 0);
    if (surplus <= 0) return { requeueAfter: PERIOD_MS };
    log.info('deprovisioning nodeclaims to satisfy replica count', {
      NodePool: { name: key },
      current: active,
      desired: nodePool.spec.replicas,
      'deprovision-count': surplus,
    });
    await Promise.all(
      this.#leastMissed(nodePool)
        .slice(0, surplus)
        .map((claim) => this.#delete(claim, signal)),
    );
    return { requeueAfter: PERIOD_MS };
  }

  /** Claims without an instance, then empty nodes, then those whose pods are cheapest to move. */
  #leastMissed(nodePool: NodePool): readonly NodeClaim[] {
    const { nodeClaims, cluster } = this.#deps;
    const name = nodePool.metadata.name;
    const unlaunched = nodeClaims
      .byIndex(BY_NODE_POOL, name)
      .filter((claim) => !claim.status?.providerID && !claim.metadata.deletionTimestamp);
    const launched = cluster
      .nodes()
      .filter((node) => nodePoolName(node) === name && !node.markedForDeletion)
      .flatMap(({ node, nodeClaim }) => (nodeClaim ? [{ node, nodeClaim }] : []))
      .map(({ node, nodeClaim }) => ({ claim: nodeClaim, rank: this.#rank(nodeClaim, node?.metadata.name) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
    return [...unlaunched, ...launched.map(({ claim }) => claim)];
  }

  /** Empty before others, protected last; then by what moving the pods costs, less for a node that is old. */
  #rank(claim: NodeClaim, nodeName: string | undefined): readonly [number, number] {
    const { cluster, clock, recorder } = this.#deps;
    const pods = nodeName === undefined ? [] : cluster.podsOn(nodeName);
    for (const pod of pods) recorder.publish(...doNotDisruptEvents(pod, clock.now()));
    const isProtected = pods.some((pod) => doNotDisrupt(pod, clock.now()).state === 'active');
    if (!isProtected && pods.every(isOwnedByDaemonSet)) return [0, 0];
    const cost = pods.reduce((sum, pod) => sum + evictionCost(pod), 0);
    return [isProtected ? 2 : 1, cost * lifetimeLeft(claim, clock.now())];
  }

  async #delete(claim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { nodeClaims, clock, cluster, log } = this.#deps;
    const { name } = claim.metadata;
    await retried(clock, async () => await nodeClaims.delete(claim, signal), signal).catch(ignoreNotFound);
    log.debug('deleting nodeclaim', { NodeClaim: { name } });
    cluster.pools.file(poolOf(claim), name, 'deleting');
  }
}

/** From 1 for a new node to 0 for one about to expire. */
function lifetimeLeft(claim: NodeClaim, now: number): number {
  const lifetime = lifetimeOf(claim.spec);
  if (lifetime === undefined) return 1;
  if (lifetime === 0) return 0;
  const age = now - Date.parse(claim.metadata.creationTimestamp ?? '');
  return Math.min(Math.max(1 - age / lifetime, 0), 1);
}
