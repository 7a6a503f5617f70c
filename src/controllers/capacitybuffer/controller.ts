import { type CapacityBuffer, isActiveBuffer, READY_FOR_PROVISIONING } from '../../apis/capacity-buffer.ts';
import { withCondition } from '../../apis/with-condition.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../kube/controller.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import { jsonEqual } from '../../kube/json-equal.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Condition, Pod } from '../../kube/objects.ts';
import { CapacityBuffers, PodTemplates } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { bufferReplicas } from '../../scheduling/buffers/buffer-replicas.ts';
import { virtualPods } from '../../scheduling/buffers/virtual-pods.ts';
import type { VirtualPods } from '../../state/virtual-pods.ts';
import type { ControllerContext } from '../context.ts';
import type { Objects } from '../objects.ts';
import type { Batcher } from '../provisioning/batcher.ts';
import { type ResolvedTemplate, resolveTemplate, UnsupportedReferenceError } from './resolve-template.ts';

type Deps = Pick<ControllerContext, 'client' | 'clock'> & {
  readonly buffers: Objects<CapacityBuffer>;
  readonly pods: Pick<VirtualPods, 'get' | 'set'>;
  readonly batcher: Pick<Batcher, 'trigger'>;
};

/** Workloads are not watched: they are looked at this often. */
const AGAIN_MS = 30_000;
const CONFLICT_RETRY_MS = 1000;

/** Works out how large each buffer is and of what, and has the room for it provided (karpenter-core.md 3.11). */
export class CapacityBufferController implements ControllerSpec {
  readonly name = 'capacitybuffer';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [
      watch(CapacityBuffers),
      watch(PodTemplates, ({ object }) => {
        const { name, namespace } = object.metadata;
        return deps.buffers
          .list()
          .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.podTemplateRef?.name === name)
          .map(keyOf);
      }),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { buffers, batcher, client } = this.#deps;
    const buffer = buffers.get(key);
    if (!buffer || !isActiveBuffer(buffer)) {
      this.#drop(key);
      return undefined;
    }
    let resolved: ResolvedTemplate;
    try {
      resolved = await resolveTemplate(client, buffer, signal);
    } catch (error) {
      return await this.#refuse(buffer, error, signal);
    }
    const replicas = bufferReplicas(buffer.spec, resolved.template.spec, resolved.scalableReplicas);
    const { podTemplate } = resolved;
    const status: CapacityBuffer['status'] = {
      ...this.#judged(buffer, 'True', 'Resolved', 'Pod template resolved successfully'),
      podTemplateRef: podTemplate && { name: podTemplate.name },
      podTemplateGeneration: podTemplate?.generation,
      replicas,
    };
    if (!(await this.#write(buffer, status, signal))) return { requeueAfter: CONFLICT_RETRY_MS };
    this.#keep(key, virtualPods(buffer, resolved.template, replicas, formatTimestamp(this.#deps.clock.now())));
    batcher.trigger(buffer.metadata.uid ?? key);
    return { requeueAfter: AGAIN_MS };
  }

  /** Pods that have not changed stay the same objects, so that their waiting does not begin anew. */
  #keep(key: string, next: readonly Pod[]): void {
    const { pods } = this.#deps;
    const isSame = (a: Pod, b: Pod): boolean =>
      a.metadata.uid === b.metadata.uid && jsonEqual(a.metadata.labels, b.metadata.labels) && jsonEqual(a.spec, b.spec);
    const before = pods.get(key);
    pods.set(
      key,
      next.map((pod, i) => {
        const known = before[i];
        return known && isSame(known, pod) ? known : pod;
      }),
    );
  }

  /** The next pass frees the nodes that held the room. */
  #drop(key: string): void {
    const { batcher, pods } = this.#deps;
    if (pods.get(key).length === 0) return;
    pods.set(key, []);
    batcher.trigger(key);
  }

  /** @throws what may go away by itself, to be tried again soon. */
  async #refuse(buffer: CapacityBuffer, error: unknown, signal: AbortSignal): Promise<ReconcileResult> {
    signal.throwIfAborted();
    const isMissing = isNotFound(error);
    const missing = buffer.spec.podTemplateRef ? 'PodTemplateNotFound' : 'ScalableRefNotFound';
    const message = error instanceof Error ? error.message : String(error);
    const status = this.#judged(buffer, 'False', isMissing ? missing : 'ResolutionFailed', message);
    const isWritten = await this.#write(buffer, status, signal);
    if (!isMissing && !(error instanceof UnsupportedReferenceError)) throw error;
    this.#drop(keyOf(buffer));
    return { requeueAfter: isWritten ? AGAIN_MS : CONFLICT_RETRY_MS };
  }

  #judged(buffer: CapacityBuffer, status: 'True' | 'False', reason: string, message: string) {
    const { generation } = buffer.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const condition: Condition = { type: READY_FOR_PROVISIONING, status, reason, message, ...observed };
    const conditions = withCondition(buffer.status?.conditions ?? [], condition, this.#deps.clock.now());
    return { ...buffer.status, conditions, provisioningStrategy: buffer.spec.provisioningStrategy };
  }

  /** False when somebody else has changed the buffer meanwhile. */
  async #write(buffer: CapacityBuffer, status: CapacityBuffer['status'], signal: AbortSignal): Promise<boolean> {
    try {
      await this.#deps.buffers.patchStatus(buffer, { ...buffer, status }, { lock: true }, signal);
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }
}
