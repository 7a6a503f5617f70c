import { DISRUPTION_REASON } from '../../../apis/condition-types.ts';
import type { Client, Resource } from '../../../kube/client.ts';
import { findCondition } from '../../../kube/conditions.ts';
import type { Controller } from '../../../kube/controller.ts';
import { ApiError, isConflict, isNotFound, isTooManyRequests } from '../../../kube/errors.ts';
import { keyOf } from '../../../kube/object-key.ts';
import type { KubeObject, Pod } from '../../../kube/objects.ts';
import { Pods } from '../../../kube/resources.ts';
import { isEvictable } from '../../../scheduling/pod-lifecycle.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import type { TriggeredController } from '../../triggered.ts';
import { evicted, failedDraining } from './events.ts';

type Deps = Pick<ControllerContext, 'client' | 'clock' | 'nodes' | 'nodeClaims' | 'informers' | 'recorder' | 'metrics'>;

interface Eviction extends KubeObject {
  readonly deleteOptions: { readonly preconditions: { readonly uid?: string } };
}

const Evictions: Resource<Eviction> = { ...Pods, objectType: undefined };
/** The API's answer when more than one PDB selects the pod. */
const SEVERAL_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** Asks pods to leave their node, as often as their PDBs require (karpenter-core.md 6.2). */
export class EvictionQueue implements TriggeredController {
  readonly name = 'eviction-queue';
  readonly watches = [];
  readonly #deps: Deps;
  /** The uid meant by each key: a successor of the same name is left alone. */
  readonly #wanted = new Map<string, string>();
  #queue: Controller['queue'] | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  attach(queue: Controller['queue']): void {
    this.#queue = queue;
  }

  add(pods: readonly Pod[]): void {
    for (const pod of pods) {
      const key = keyOf(pod);
      const uid = pod.metadata.uid ?? '';
      if (this.#wanted.get(key) === uid) continue;
      this.#wanted.set(key, uid);
      this.#queue?.add(key);
    }
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { informers, clock } = this.#deps;
    const pod = informers.reader(Pods).get(key);
    // One that is going or has ended needs no eviction any more; one that is protected by now comes back with the next drain
    // after its protection has ended.
    if (!pod || pod.metadata.uid !== this.#wanted.get(key) || !isEvictable(pod, clock.now())) {
      this.#wanted.delete(key);
      return;
    }
    if (!(await this.#evict(pod, this.#deps.client, signal))) return { requeue: true };
    this.#wanted.delete(key);
    return;
  }

  /** Whether that is settled: the pod has been evicted, or is gone. */
  async #evict(pod: Pod, client: Client, signal: AbortSignal): Promise<boolean> {
    const { recorder, metrics } = this.#deps;
    const { name, namespace, uid } = pod.metadata;
    const eviction: Eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, ...(namespace ? { namespace } : {}) },
      deleteOptions: { preconditions: uid ? { uid } : {} },
    };
    try {
      await client.create(Evictions, eviction, { subresource: 'eviction' }, signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      metrics.count('pods_eviction_requests_total', { code: String(error.code) });
      if (isNotFound(error) || isConflict(error)) return true;
      const several = error.message === SEVERAL_BUDGETS;
      if (!several && !isTooManyRequests(error)) throw error;
      const problem = several ? 'eviction does not support multiple PDBs' : 'evicting pod violates a PDB';
      const node = this.#deps.nodes.get(pod.spec.nodeName ?? '');
      if (node) recorder.publish(failedDraining(node, `${problem} (Pod=${namespace}/${name})`));
      return false;
    }
    const reason = this.#reason(pod);
    metrics.count('pods_eviction_requests_total', { code: '200' });
    metrics.count('pods_drained_total', { reason });
    recorder.publish(evicted(pod, reason));
    return true;
  }

  #reason(pod: Pod): string {
    const { nodes, nodeClaims } = this.#deps;
    const id = nodes.get(pod.spec.nodeName ?? '')?.spec.providerID;
    const [claim, ...more] = id ? nodeClaims.byIndex(BY_PROVIDER_ID, id) : [];
    if (!claim || more.length > 0) return '';
    const condition = findCondition(claim, DISRUPTION_REASON);
    return condition?.status === 'True' ? (condition.reason ?? '') : 'Forceful Termination';
  }
}
