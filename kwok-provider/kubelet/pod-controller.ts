import type { Client } from '../../src/kube/client.ts';
import type { Clock, Random } from '../../src/kube/clock.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../src/kube/controller.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import type { Informers } from '../../src/kube/informers.ts';
import { keyOf } from '../../src/kube/object-key.ts';
import type { Pod } from '../../src/kube/objects.ts';
import { Nodes, Pods } from '../../src/kube/resources.ts';
import type { Addresses } from './addresses.ts';
import { hasStarted, isFakeNode, isNodeReady } from './fake-nodes.ts';
import type { NodeAgentOptions } from './options.ts';
import { POD_STAGES } from './pod-stages.ts';
import { endOf, type PodStage, type StageContext } from './stage.ts';

const WORKERS = 64;
const NODE_INDEX = 'kubelet node';

export interface PodControllerDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: Addresses;
  readonly options: NodeAgentOptions;
}

/** The part of a kubelet that runs pods: it takes each pod of a fake node through its stages. */
export function podController(deps: PodControllerDeps): ControllerSpec {
  const { informers, addresses } = deps;
  const kubelet = new PodLives(deps);
  const pods = informers.for(Pods);
  pods.addIndex(NODE_INDEX, (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []));
  return {
    name: 'kubelet.pods',
    workers: WORKERS,
    watches: [
      watch(Pods, ({ object, type }) => {
        if (!object.spec.nodeName) return [];
        if (type !== 'Deleted') {
          addresses.adoptPod(object);
          return [keyOf(object)];
        }
        addresses.releasePod(object);
        kubelet.forget(object);
        return [];
      }),
      // The pods that were bound before the node's kubelet came up, or that suffered with the node.
      watch(Nodes, ({ object, old }) => {
        const comesUp = isFakeNode(object) && isNodeReady(object) && !(old && isNodeReady(old) && isFakeNode(old));
        return comesUp ? pods.store.byIndex(NODE_INDEX, object.metadata.name).map(keyOf) : [];
      }),
    ],
    reconcile: (key, signal) => kubelet.reconcile(key, signal),
  };
}

interface Seen {
  readonly at: number;
  readonly random: number;
}

interface Due {
  readonly stage: PodStage;
  readonly end: number;
}

class PodLives {
  readonly #deps: PodControllerDeps;
  /** By the pod's uid, then by the names of the stages it is in. */
  readonly #seen = new Map<string, Map<string, Seen>>();

  constructor(deps: PodControllerDeps) {
    this.#deps = deps;
  }

  forget(pod: Pod): void {
    this.#seen.delete(pod.metadata.uid ?? '');
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { informers, clock } = this.#deps;
    const pod = informers.reader(Pods).get(key);
    const node = pod?.spec.nodeName ? informers.reader(Nodes).get(pod.spec.nodeName) : undefined;
    if (!pod || !node || !isFakeNode(node) || !hasStarted(node)) return undefined;
    const due = this.#nextDue(pod, isNodeReady(node));
    if (due === undefined) return undefined;
    const wait = due.end - clock.now();
    if (wait > 0) return { requeueAfter: wait };
    await this.#advance(pod, due.stage, node.metadata.name, signal);
    return undefined;
  }

  /** Of the stages the pod is in the one that ends first; of two that end together the one listed first. */
  #nextDue(pod: Pod, nodeReady: boolean): Due | undefined {
    const { clock, random, options } = this.#deps;
    const uid = pod.metadata.uid ?? '';
    const before = this.#seen.get(uid);
    const seen = new Map<string, Seen>();
    let first: Due | undefined;
    for (const stage of POD_STAGES) {
      if (!stage.applies(pod, options, nodeReady)) continue;
      const since = before?.get(stage.name) ?? { at: clock.now(), random: random.next() };
      seen.set(stage.name, since);
      const end = endOf(stage, pod, options, since.at, since.random);
      if (first === undefined || end < first.end) first = { stage, end };
    }
    if (seen.size > 0) this.#seen.set(uid, seen);
    else this.#seen.delete(uid);
    return first;
  }

  async #advance(pod: Pod, stage: PodStage, nodeName: string, signal: AbortSignal): Promise<void> {
    const { client, clock, addresses } = this.#deps;
    const context: StageContext = {
      now: clock.now(),
      hostIp: addresses.nodeIp(nodeName),
      podIp: addresses.podIp(pod, nodeName),
    };
    const next = stage.next(pod, context);
    const { name, namespace, uid, deletionGracePeriodSeconds } = pod.metadata;
    try {
      if (next !== 'deleted') {
        await client.update(Pods, { ...pod, status: next }, { subresource: 'status' }, signal);
      } else if (deletionGracePeriodSeconds !== 0 || (pod.metadata.finalizers ?? []).length === 0) {
        // What is left after that waits for somebody's finalizer.
        await client.delete(Pods, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } }, signal);
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
