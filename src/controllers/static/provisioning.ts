import { READY } from '../../apis/condition-types.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../kube/controller.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { NodeClaims, NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { poolOf } from '../nodeclaim/disrupted-labels.ts';
import type { NodeClaimCreator } from '../provisioning/create-node-claims.ts';
import { isResized, isStaticPool } from './watches.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'cloud' | 'cluster' | 'log'> & {
  readonly creator: Pick<NodeClaimCreator, 'createStatic'>;
};

const PERIOD_MS = 60_000;
const AT_LIMIT_MS = 30_000;
const UNSYNCED_MS = 1000;

/** Grows static pools to their size (karpenter-core.md 7.14.1). */
export class StaticProvisioning implements ControllerSpec {
  readonly name = 'static.provisioning';
  readonly watches: readonly Watch[] = [
    watch(NodePools, (change) =>
      change.type === 'Added' || (change.type === 'Updated' && isResized(change.old, change.object))
        ? [change.object.metadata.name]
        : [],
    ),
    watch(NodeClaims, (change) => {
      const begunToGo =
        change.type === 'Updated' && !change.old.metadata.deletionTimestamp && change.object.metadata.deletionTimestamp;
      return change.type === 'Deleted' || begunToGo ? [poolOf(change.object)] : [];
    }),
  ];
  readonly #deps: Deps;
  #seen = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodePools, cloud, cluster, creator, log } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isStaticPool(cloud, nodePool) || !conditionIsTrue(nodePool, READY)) return undefined;
    // Counting before everything has been seen would make too many; later, unlaunched claims count like others.
    this.#seen ||= cluster.synced;
    if (!this.#seen) return { requeueAfter: UNSYNCED_MS };
    const wanted = nodePool.spec.replicas ?? 0;
    const { active, pendingDisruption } = cluster.pools.counts(key);
    if (active + pendingDisruption >= wanted) return { requeueAfter: PERIOD_MS };
    const limit = nodePool.spec.limits?.nodes;
    const most = limit === undefined ? Number.POSITIVE_INFINITY : parseQuantityMilli(limit) / 1000;
    // A claim about to be replaced counts until its replacement exists, and is marked for deletion, not pending, from then on.
    const granted = cluster.pools.reserve(key, most, wanted - active - pendingDisruption);
    if (granted <= 0) {
      log.info('nodepool node limit reached', { NodePool: { name: key } });
      return { requeueAfter: AT_LIMIT_MS };
    }
    log.info('provisioning nodeclaims to satisfy replica count', {
      NodePool: { name: key },
      current: active,
      desired: wanted,
      'provision-count': granted,
    });
    const create = async (): Promise<void> => {
      try {
        await creator.createStatic(nodePool, 'provisioned', signal);
      } finally {
        cluster.pools.release(key, 1);
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: granted }, create));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return { requeueAfter: PERIOD_MS };
  }
}
