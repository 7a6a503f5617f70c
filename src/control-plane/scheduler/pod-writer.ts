import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { findCondition } from '../../kube/conditions.ts';
import { isNotFound } from '../../kube/errors.ts';
import { refKey } from '../../kube/object-key.ts';
import type { Pod } from '../../kube/objects.ts';
import { Pods } from '../../kube/resources.ts';
import { type NewCondition, withCondition } from '../conditions.ts';
import type { Recorder } from '../recorder.ts';

export interface PodWriterDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: Recorder;
}

/** What the scheduler writes about pods. */
export class PodWriter {
  readonly #deps: PodWriterDeps;

  constructor(deps: PodWriterDeps) {
    this.#deps = deps;
  }

  /** Assigns the pod to a node. */
  async bind(pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { kind: 'Node', name: nodeName },
    };
    await this.#deps.client.create(Pods, binding as unknown as Pod, { subresource: 'binding' }, signal);
    const message = `Successfully assigned ${refKey(pod.metadata)} to ${nodeName}`;
    this.#deps.recorder.event(pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  /**
   * Puts a condition on the pod, and a nomination where one is given (empty takes it away). Writes nothing where the pod
   * says so already.
   */
  async setStatus(
    pod: Pod,
    condition: NewCondition,
    nominatedNodeName: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const known = pod.status?.conditions;
    const conditions = withCondition(known, condition, this.#deps.clock.now());
    const nominate = nominatedNodeName !== undefined && (pod.status?.nominatedNodeName ?? '') !== nominatedNodeName;
    if (conditions === known && !nominate) return;
    const status = {
      ...(conditions !== known && { conditions: [findCondition({ status: { conditions } }, condition.type)] }),
      ...(nominate && { nominatedNodeName: nominatedNodeName || null }),
    };
    try {
      const patch = { type: 'strategic', body: { metadata: { uid: pod.metadata.uid }, status } } as const;
      await this.#deps.client.patch(Pods, pod.metadata, patch, { subresource: 'status' }, signal);
    } catch (error) {
      // Whoever deleted the pod has no need of its status.
      if (!isNotFound(error)) throw error;
    }
  }

  /** Removes a pod in favour of a more important one. */
  async preempt(victim: Pod, preemptor: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${preemptor.spec.schedulerName ?? 'default-scheduler'}: preempting to accommodate a higher priority pod`,
    } as const;
    await this.setStatus(victim, condition, undefined, signal);
    try {
      const { uid } = victim.metadata;
      const options = uid === undefined ? {} : { preconditions: { uid } };
      await this.#deps.client.delete(Pods, victim.metadata, options, signal);
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    const message = `Preempted by pod ${preemptor.metadata.uid} on node ${nodeName}`;
    this.#deps.recorder.event(victim, { type: 'Normal', reason: 'Preempted', message });
  }
}
