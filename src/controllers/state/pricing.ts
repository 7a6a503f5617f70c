import { causeOf, UnevaluatedNodePoolError } from '../../cloudprovider/errors.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'cloud' | 'costs' | 'metrics'>;

const PERIOD_MS = 3_600_000;
const UNEVALUATED_MS = 1000;

/** Asks what each pool's types cost, once an hour (karpenter-core.md 8.10, 8.13). */
export class PoolPricing implements ControllerSpec {
  readonly name = 'state.pricing';
  readonly watches = [watch(NodePools, ({ type, object }) => (type === 'Updated' ? [] : [object.metadata.name]))];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodePools, cloud, costs, metrics } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool) {
      costs.forget(key);
      return undefined;
    }
    if (!isManagedPool(cloud, nodePool)) return undefined;
    try {
      costs.setPrices(key, await cloud.getInstanceTypes(nodePool, signal));
    } catch (error) {
      // Overlays are evaluated in a moment.
      if (causeOf(error, UnevaluatedNodePoolError)) return { requeueAfter: UNEVALUATED_MS };
      metrics.count('nodepools_cost_tracker_errors_total', { nodepool: key });
      throw error;
    }
    return { requeueAfter: PERIOD_MS };
  }
}
