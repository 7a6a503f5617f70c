import { findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { Node, Pod } from '../../kube/objects.ts';
import { isReady } from '../../kube/pods.ts';
import { Leases, Nodes, Pods } from '../../kube/resources.ts';
import { withCondition } from '../conditions.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { podsOnNode } from '../indexes.ts';
import type { Recorder } from '../recorder.ts';
import { inParallel } from '../writes/parallel.ts';
import type { NodeLifecycleOptions } from './options.ts';
import { observe, type SignOfLife, silencedConditions } from './silence.ts';
import { lifecycleTaints } from './taints.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
const WORKERS = 8;

/** Judges nodes by their heartbeats and leases, and taints them by their conditions. */
export function nodeHealthController(deps: ControlPlaneDeps, options: NodeLifecycleOptions): ControllerSpec {
  const reconciler = new NodeHealth(deps, options);
  return {
    name: 'node-lifecycle',
    workers: WORKERS,
    watches: [
      watch(Nodes, (change) => {
        if (change.type === 'Deleted') reconciler.forget(change.object.metadata.name);
        return [change.object.metadata.name];
      }),
      // Renewals are looked at when a node's time is up, not each as it comes.
      watch(Leases, () => [], { namespace: LEASE_NAMESPACE }),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

class NodeHealth {
  readonly #deps: ControlPlaneDeps;
  readonly #options: NodeLifecycleOptions;
  readonly #recorder: Recorder;
  readonly #podRecorder: Recorder;
  readonly #podsOn: (nodeName: string) => readonly Pod[];
  readonly #signs = new Map<string, SignOfLife>();

  constructor(deps: ControlPlaneDeps, options: NodeLifecycleOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#recorder = deps.recorderFor('node-controller', Nodes);
    this.#podRecorder = deps.recorderFor('node-controller', Pods);
    this.#podsOn = podsOnNode(deps.informers);
  }

  forget(name: string): void {
    this.#signs.delete(name);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const node = this.#deps.informers.reader(Nodes).get(key);
    if (node === undefined) return undefined;
    const now = this.#deps.clock.now();
    const left = this.#timeLeft(node, now);
    try {
      const judged = left > 0 ? node : await this.#silence(node, now, signal);
      await this.#taint(judged, now, signal);
      if (findCondition(judged, 'Ready')?.status !== 'True') await this.#unreadyPods(judged, now, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
    const wait = left > 0 ? left : this.#options.monitorGrace;
    return Number.isFinite(wait) ? { requeueAfter: wait } : undefined;
  }

  /** Until the node must have shown a sign of life. */
  #timeLeft(node: Node, now: number): number {
    const { name } = node.metadata;
    const ready = findCondition(node, 'Ready');
    const lease = this.#deps.informers
      .for(Leases, { namespace: LEASE_NAMESPACE })
      .store.get(`${LEASE_NAMESPACE}/${name}`);
    const sign = observe(this.#signs.get(name), ready?.lastHeartbeatTime, lease?.spec?.renewTime, now);
    this.#signs.set(name, sign);
    const grace = ready === undefined ? this.#options.startupGrace : this.#options.monitorGrace;
    return sign.at + grace - now;
  }

  async #silence(node: Node, now: number, signal: AbortSignal): Promise<Node> {
    if (findCondition(node, 'Ready')?.status === 'Unknown') return node;
    const status = { ...node.status, conditions: silencedConditions(node, now) };
    const updated = await this.#deps.client.update(Nodes, { ...node, status }, { subresource: 'status' }, signal);
    const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
    this.#recorder.event(node, { type: 'Normal', reason: 'NodeNotReady', message });
    return updated;
  }

  async #taint(node: Node, now: number, signal: AbortSignal): Promise<void> {
    const taints = lifecycleTaints(node, now);
    if (taints === node.spec.taints || (taints.length === 0 && node.spec.taints === undefined)) return;
    await this.#deps.client.update(Nodes, { ...node, spec: { ...node.spec, taints } }, {}, signal);
  }

  /** Nobody should be sent to pods on a node that is not well. */
  async #unreadyPods(node: Node, now: number, signal: AbortSignal): Promise<void> {
    if (findCondition(node, 'Ready') === undefined) return;
    await inParallel(this.#podsOn(node.metadata.name).filter(isReady), async (pod) => {
      const conditions = withCondition(pod.status?.conditions, { type: 'Ready', status: 'False' }, now);
      const status = { ...pod.status, conditions };
      try {
        await this.#deps.client.update(Pods, { ...pod, status }, { subresource: 'status' }, signal);
        this.#podRecorder.event(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  }
}
