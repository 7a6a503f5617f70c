import { NODE_POOL_CONDITIONS, VALIDATION_SUCCEEDED } from '../../apis/condition-types.ts';
import { ConditionSet } from '../../apis/conditions.ts';
import { nodePoolProblems } from '../../apis/node-pool-problems.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'cloud' | 'clock'>;

/** Says on the pool what its schema can't check (karpenter-core.md 9.5). */
export class NodePoolValidation implements ControllerSpec {
  readonly name = 'nodepool.validation';
  readonly watches = [watch(NodePools)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodePools, cloud, clock } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isManagedPool(cloud, nodePool)) return;
    const conditions = new ConditionSet(nodePool, NODE_POOL_CONDITIONS, clock.now());
    const problems = nodePoolProblems(nodePool, cloud);
    if (problems.length === 0) conditions.setTrue(VALIDATION_SUCCEEDED);
    else conditions.setFalse(VALIDATION_SUCCEEDED, 'NodePoolValidationFailed', problems.join('; '));
    return await tolerant(async () => {
      await nodePools.patchStatus(nodePool, conditions.applied(nodePool), { lock: true }, signal);
      return undefined;
    });
  }
}
