import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { Pod } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { Nodes, Pods } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { podsOnNode } from '../indexes.ts';
import { inParallel } from '../writes/parallel.ts';
import { markDisrupted } from './mark-disrupted.ts';
import { evictionTime, noExecuteTaints } from './taint-eviction.ts';

const WORKERS = 8;

/** Deletes pods that do not tolerate a NoExecute taint of their node (any longer). Keys are nodes. */
export function taintEvictionController(deps: ControlPlaneDeps): ControllerSpec {
  const { client, informers, clock } = deps;
  const recorder = deps.recorderFor('taint-eviction-controller', Pods);
  const podsOn = podsOnNode(informers);
  const isTainted = (nodeName: string | undefined): nodeName is string =>
    nodeName !== undefined && noExecuteTaints(informers.reader(Nodes).get(nodeName)?.spec.taints).length > 0;

  async function evict(pod: Pod, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const message = `Marking for deletion Pod ${namespace}/${name}`;
    recorder.event(pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
    const reason = 'DeletionByTaintManager';
    const why = 'Taint manager: deleting due to NoExecute taint';
    try {
      await markDisrupted(client, pod, { reason, message: why }, clock.now(), signal);
      await client.delete(Pods, { name, namespace }, { preconditions: { uid } }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function reconcile(nodeName: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const taints = noExecuteTaints(informers.reader(Nodes).get(nodeName)?.spec.taints);
    if (taints.length === 0) return undefined;
    const now = clock.now();
    const due: Pod[] = [];
    let wait: number | undefined;
    for (const pod of podsOn(nodeName)) {
      const time = isTerminating(pod) ? undefined : evictionTime(pod, taints);
      if (time === undefined) continue;
      if (time <= now) due.push(pod);
      else wait = Math.min(wait ?? Number.POSITIVE_INFINITY, time - now);
    }
    await inParallel(due, (pod) => evict(pod, signal));
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  return {
    name: 'taint-eviction',
    workers: WORKERS,
    watches: [
      watch(Nodes, ({ object }) => (isTainted(object.metadata.name) ? [object.metadata.name] : [])),
      watch(Pods, ({ object: { spec }, type }) =>
        type !== 'Deleted' && isTainted(spec.nodeName) ? [spec.nodeName] : [],
      ),
    ],
    reconcile,
  };
}
