import { NODE_CLASS_READY, NODE_POOL_CONDITIONS, READY } from '../../apis/condition-types.ts';
import { ConditionSet } from '../../apis/conditions.ts';
import { findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, type Watch, watch } from '../../kube/controller.ts';
import { NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { type NodeClass, nodeClassOf, watchNodeClasses } from './node-class.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'cloud' | 'clock' | 'informers'>;

/** Says on the pool whether its node class can be used (karpenter-core.md 9.4). */
export class NodePoolReadiness implements ControllerSpec {
  readonly name = 'nodepool.readiness';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [watch(NodePools), ...watchNodeClasses(deps)];
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodePools, cloud, clock } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isManagedPool(cloud, nodePool)) return;
    const conditions = new ConditionSet(nodePool, NODE_POOL_CONDITIONS, clock.now());
    judge(conditions, nodeClassOf(this.#deps, nodePool));
    return await tolerant(async () => {
      await nodePools.patchStatus(nodePool, conditions.applied(nodePool), { lock: true }, signal);
      return undefined;
    });
  }
}

function judge(conditions: ConditionSet, nodeClass: NodeClass | undefined): void {
  const ready = findCondition(nodeClass, READY);
  if (!nodeClass) conditions.setFalse(NODE_CLASS_READY, 'NodeClassNotFound', 'NodeClass not found on cluster');
  else if (nodeClass.metadata.deletionTimestamp) {
    conditions.setFalse(NODE_CLASS_READY, 'NodeClassTerminating', 'NodeClass is Terminating');
  } else if (!ready || ready.status === 'Unknown') {
    conditions.setFalse(NODE_CLASS_READY, 'NodeClassReadinessUnknown', 'Node Class Readiness Unknown');
  } else if (ready.status === 'False') {
    conditions.setFalse(NODE_CLASS_READY, ready.reason ?? '', ready.message ?? '');
  } else conditions.setTrue(NODE_CLASS_READY);
}
