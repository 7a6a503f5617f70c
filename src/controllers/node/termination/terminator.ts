import { LABEL_EXCLUDE_FROM_BALANCERS, TAINT_DISRUPTED } from '../../../apis/labels.ts';
import { isConflict, isNotFound } from '../../../kube/errors.ts';
import type { Node, Pod } from '../../../kube/objects.ts';
import { isActive } from '../../../kube/pods.ts';
import { Pods } from '../../../kube/resources.ts';
import { formatTimestamp } from '../../../kube/timestamp.ts';
import { isEvictable, isWaitingEviction } from '../../../scheduling/pod-lifecycle.ts';
import type { ControllerContext } from '../../context.ts';
import { doNotDisruptEvents } from '../../do-not-disrupt-events.ts';
import { BY_NODE_NAME } from '../../indexes.ts';
import { drainTiers } from './drain-tiers.ts';
import { disrupted } from './events.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import { mustGoNow, remainingGraceSeconds } from './forced-deletion.ts';

type Deps = Pick<ControllerContext, 'client' | 'clock' | 'nodes' | 'informers' | 'recorder' | 'log'> & {
  readonly evictionQueue: Pick<EvictionQueue, 'add'>;
};

/** Empties nodes (karpenter-core.md 6.1). */
export class Terminator {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Keeps new pods and load balancers away from the node; answers it as it is afterwards. */
  async taint(node: Node, signal: AbortSignal): Promise<Node> {
    const { nodes, log } = this.#deps;
    const taints = node.spec.taints ?? [];
    const present = taints.some((t) => t.key === TAINT_DISRUPTED.key && t.effect === TAINT_DISRUPTED.effect);
    const others = taints.filter((t) => t.key !== TAINT_DISRUPTED.key);
    const labels = { ...node.metadata.labels, [LABEL_EXCLUDE_FROM_BALANCERS]: 'karpenter' };
    const next: Node = {
      ...node,
      metadata: { ...node.metadata, labels },
      spec: { ...node.spec, taints: present ? taints : [...others, TAINT_DISRUPTED] },
    };
    const tainted = await nodes.patch(node, next, { lock: true }, signal);
    if (tainted !== node) {
      log.info('tainted node', {
        Node: { name: node.metadata.name },
        'taint.Key': TAINT_DISRUPTED.key,
        'taint.Value': '',
        'taint.Effect': TAINT_DISRUPTED.effect,
      });
    }
    return tainted;
  }

  /**
   * Asks the next pods to leave, and deletes those whose time has run out.
   *
   * @param deadline epoch milliseconds at which the node goes in any case.
   * @returns how many pods still have to go.
   */
  async drain(node: Node, deadline: number | undefined, signal: AbortSignal): Promise<number> {
    const { informers, clock, evictionQueue, recorder } = this.#deps;
    const now = clock.now();
    const pods = informers.reader(Pods).byIndex(BY_NODE_NAME, node.metadata.name);
    const waiting = pods.filter((pod) => isWaitingEviction(pod, now));
    const late = waiting.filter((pod) => mustGoNow(pod, deadline, now));
    await Promise.all(late.map((pod) => this.#delete(pod, deadline ?? now, signal)));
    const tier = drainTiers(waiting).find((pods) => pods.length > 0) ?? [];
    for (const pod of tier) if (isActive(pod)) recorder.publish(...doNotDisruptEvents(pod, now));
    evictionQueue.add(tier.filter((pod) => isEvictable(pod, now)));
    return waiting.length;
  }

  async #delete(pod: Pod, deadline: number, signal: AbortSignal): Promise<void> {
    const { client, clock, recorder, log } = this.#deps;
    const { name, namespace, uid } = pod.metadata;
    const gracePeriodSeconds = remainingGraceSeconds(deadline, clock.now());
    recorder.publish(disrupted(pod, gracePeriodSeconds, deadline));
    try {
      const ref = { name, ...(namespace ? { namespace } : {}) };
      await client.delete(Pods, ref, { gracePeriodSeconds, preconditions: uid ? { uid } : {} }, signal);
    } catch (error) {
      // Gone, or another pod of that name by now.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    log.debug('deleting pod', {
      namespace,
      name,
      'pod.terminationGracePeriodSeconds': pod.spec.terminationGracePeriodSeconds,
      'delete.gracePeriodSeconds': gracePeriodSeconds,
      'nodeclaim.terminationTime': formatTimestamp(deadline),
    });
  }
}
