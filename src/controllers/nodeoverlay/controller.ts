import { NODE_OVERLAY_CONDITIONS, VALIDATION_SUCCEEDED } from '../../apis/condition-types.ts';
import { ConditionSet } from '../../apis/conditions.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { OverlayStore } from '../../cloudprovider/overlay-store.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../kube/controller.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import type { Change } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { NodeOverlays, NodePools } from '../../kube/resources.ts';
import { evaluateOverlays, type OverlayRefusal } from '../../scheduling/overlays/evaluate-overlays.ts';
import type { PoolAndTypes } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { Objects } from '../objects.ts';

type Deps = Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'cluster' | 'nodePools'> & {
  /** The provider itself, without overlays applied. */
  readonly cloud: ControllerContext['cloud'];
  readonly overlays: Pick<OverlayStore, 'replace'>;
};

/** What the provider sells may change without any object saying so. */
const AGAIN_MS = 6 * 3_600_000;
const EVERYTHING = ['all'];

/**
 * Works out what overlays change, all of it anew whenever an overlay, a pool or a node class has, and says on each overlay
 * whether it is in force (karpenter-core.md 4.12).
 */
export class NodeOverlayController implements ControllerSpec {
  readonly name = 'nodeoverlay.controller';
  readonly watches: readonly Watch[];
  readonly initialKeys = EVERYTHING;
  readonly #deps: Deps;
  readonly #overlays: Objects<NodeOverlay>;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#overlays = new Objects(deps, NodeOverlays);
    this.watches = [
      watch(NodeOverlays, whenWantedOtherwise),
      watch(NodePools, whenWantedOtherwise),
      ...deps.cloud
        .supportedNodeClasses()
        .map((nodeClass) => watch({ ...nodeClass, namespaced: false }, whenWantedOtherwise)),
    ];
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { cloud, cluster, overlays } = this.#deps;
    const { pools, failures } = await this.#pools(signal);
    const all = this.#overlays.list();
    const { updates, refused } = evaluateOverlays(all, pools, cloud);
    for (const overlay of all) {
      const isWritten = await this.#judge(overlay, refused.get(overlay.metadata.name), signal);
      // Somebody has changed or deleted it meanwhile: what was worked out is out of date.
      if (!isWritten) return { requeue: true };
    }
    overlays.replace(updates);
    cluster.markUnconsolidated();
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
    return { requeueAfter: AGAIN_MS };
  }

  /** A pool whose types can't be had is left out, so that it does not hold up the others. */
  async #pools(signal: AbortSignal): Promise<{ pools: readonly PoolAndTypes[]; failures: readonly Error[] }> {
    const { cloud, nodePools } = this.#deps;
    const pools: PoolAndTypes[] = [];
    const failures: Error[] = [];
    for (const nodePool of nodePools.list().filter((pool) => isManagedPool(cloud, pool))) {
      try {
        pools.push({ nodePool, instanceTypes: await cloud.getInstanceTypes(nodePool, signal) });
      } catch (cause) {
        signal.throwIfAborted();
        const why = cause instanceof Error ? cause.message : String(cause);
        failures.push(new Error(`listing instance types for nodepool "${nodePool.metadata.name}", ${why}`, { cause }));
      }
    }
    return { pools, failures };
  }

  async #judge(overlay: NodeOverlay, refusal: OverlayRefusal | undefined, signal: AbortSignal): Promise<boolean> {
    const conditions = new ConditionSet(overlay, NODE_OVERLAY_CONDITIONS, this.#deps.clock.now());
    if (refusal) conditions.setFalse(VALIDATION_SUCCEEDED, refusal.reason, refusal.message);
    else conditions.setTrue(VALIDATION_SUCCEEDED);
    try {
      await this.#overlays.patchStatus(overlay, conditions.applied(overlay), { lock: true }, signal);
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }
}

/** Everything, unless only the status of an object has changed. */
function whenWantedOtherwise(change: Change<KubeObject>): readonly string[] {
  const isSame = change.type === 'Updated' && change.object.metadata.generation === change.old.metadata.generation;
  return isSame ? [] : EVERYTHING;
}
