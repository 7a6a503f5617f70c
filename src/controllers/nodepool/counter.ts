import { type ControllerSpec, watch } from '../../kube/controller.ts';
import type { ResourceList } from '../../kube/objects.ts';
import { NodePools } from '../../kube/resources.ts';
import { toResourceList } from '../../scheduling/resource-list.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'cloud' | 'cluster'>;

const PERIOD_MS = 5000;
const UNSYNCED_MS = 1000;
/** Shown even for a pool without nodes. */
const NOTHING: ResourceList = { cpu: '0', memory: '0', pods: '0', 'ephemeral-storage': '0', nodes: '0' };

/** Keeps what each pool's nodes add up to in its status (karpenter-core.md 9.3). */
export class NodePoolCounter implements ControllerSpec {
  readonly name = 'nodepool.counter';
  readonly watches = [watch(NodePools, (change) => (change.type === 'Added' ? [change.object.metadata.name] : []))];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodePools, cloud, cluster } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isManagedPool(cloud, nodePool)) return;
    // Before everything has been seen the sum would be too low, and users would see it drop.
    if (!cluster.synced) return { requeueAfter: UNSYNCED_MS };
    const totals = cluster.poolResources(key);
    const resources = { ...NOTHING, ...toResourceList(totals) };
    const nodes = (totals.nodes ?? 0) / 1000;
    return await tolerant(async () => {
      await nodePools.patchStatus(
        nodePool,
        { ...nodePool, status: { ...nodePool.status, resources, nodes } },
        {},
        signal,
      );
      return { requeueAfter: PERIOD_MS };
    });
  }
}
