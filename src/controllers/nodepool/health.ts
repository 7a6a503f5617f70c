import { NODE_POOL_CONDITIONS, NODE_REGISTRATION_HEALTHY } from '../../apis/condition-types.ts';
import { ConditionSet } from '../../apis/conditions.ts';
import { type ControllerSpec, type Watch, watch } from '../../kube/controller.ts';
import { NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { nodeClassOf, watchNodeClasses } from './node-class.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'cloud' | 'clock' | 'informers' | 'registrationHealth'>;

/**
 * Forgets how registrations went whenever the pool or its node class changes, and takes up what the condition says after a
 * restart (karpenter-core.md 5.6.2).
 */
export class NodePoolRegistrationHealth implements ControllerSpec {
  readonly name = 'nodepool.registrationhealth';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [watch(NodePools), ...watchNodeClasses(deps)];
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodePools, cloud, clock, registrationHealth } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isManagedPool(cloud, nodePool)) return;
    const nodeClass = nodeClassOf(this.#deps, nodePool);
    if (!nodeClass) return;
    const uid = nodePool.metadata.uid ?? '';
    const conditions = new ConditionSet(nodePool, NODE_POOL_CONDITIONS, clock.now());
    const condition = conditions.get(NODE_REGISTRATION_HEALTHY);
    if (registrationHealth.of(uid) === 'Unknown' && condition && condition.status !== 'Unknown') {
      registrationHealth.reset(uid, condition.status === 'True' ? 'Healthy' : 'Unhealthy');
    }
    const observed = nodeClass.metadata.generation ?? 0;
    const isStale =
      !condition ||
      (nodePool.status?.nodeClassObservedGeneration ?? 0) !== observed ||
      (condition.observedGeneration ?? 0) !== (nodePool.metadata.generation ?? 0);
    if (isStale) {
      conditions.setUnknown(NODE_REGISTRATION_HEALTHY);
      registrationHealth.reset(uid, 'Unknown');
    }
    const next = conditions.applied(nodePool);
    return await tolerant(async () => {
      const status = { ...next.status, nodeClassObservedGeneration: observed };
      await nodePools.patchStatus(nodePool, { ...next, status }, { lock: true }, signal);
      return undefined;
    });
  }
}
