import type { Client } from '../../kube/client.ts';
import { ApiError, isNotFound } from '../../kube/errors.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { KubeObject, Pod } from '../../kube/objects.ts';
import { Pods } from '../../kube/resources.ts';
import type { Recorder } from '../recorder.ts';
import { inParallel, slowStart } from './parallel.ts';
import type { PendingWrites } from './pending-writes.ts';

export interface PodControlDeps {
  readonly client: Client;
  readonly recorder: Recorder;
  readonly pending: PendingWrites;
}

/** Creates and deletes the pods of workloads, with the events that tell of it. */
export class PodControl {
  readonly #deps: PodControlDeps;

  constructor(deps: PodControlDeps) {
    this.#deps = deps;
  }

  /** Slowly at first; throws the first refusal, except in a namespace that is being deleted. */
  async create(owner: KubeObject, pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const { client, recorder, pending } = this.#deps;
    await slowStart(pods, async (pod) => {
      try {
        const created = await client.create(Pods, pod, {}, signal);
        pending.created(keyOf(owner), created);
        const message = `Created pod: ${created.metadata.name}`;
        recorder.event(owner, { type: 'Normal', reason: 'SuccessfulCreate', message });
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        recorder.event(owner, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${textOf(error)}` });
        throw error;
      }
    });
  }

  /** A pod that is gone already is no error. */
  async remove(owner: KubeObject, pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const { client, recorder, pending } = this.#deps;
    await inParallel(pods, async (pod) => {
      const { name, namespace, uid } = pod.metadata;
      try {
        await client.delete(Pods, { name, namespace }, { preconditions: { uid } }, signal);
        pending.deleted(keyOf(owner), pod);
        recorder.event(owner, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
      } catch (error) {
        if (isNotFound(error)) return;
        recorder.event(owner, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${textOf(error)}` });
        throw error;
      }
    });
  }
}

export function isNamespaceTerminating(error: unknown): boolean {
  const causes = error instanceof ApiError ? (error.status.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
