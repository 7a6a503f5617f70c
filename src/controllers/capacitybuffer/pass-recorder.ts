import { type CapacityBuffer, isActiveBuffer } from '../../apis/capacity-buffer.ts';
import { withCondition } from '../../apis/with-condition.ts';
import { keyOf } from '../../kube/object-key.ts';
import { bufferOutcomes, virtualPodsByNode } from '../../scheduling/buffers/buffer-outcomes.ts';
import { provisioningCondition } from '../../scheduling/buffers/provisioning-condition.ts';
import type { Results } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';
import type { Objects } from '../objects.ts';

type Deps = Pick<ControllerContext, 'clock' | 'cluster' | 'log'> & { readonly buffers: Objects<CapacityBuffer> };

/** Says on each buffer what a provisioning pass means for it, and notes which nodes hold its room. */
export class BufferPassRecorder {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A buffer that can't be written is left for the next pass: pods that wait are more important. */
  async record(results: Results, signal: AbortSignal): Promise<void> {
    const { buffers, cluster, log } = this.#deps;
    cluster.setBufferPods(virtualPodsByNode(results));
    const outcomes = bufferOutcomes(results);
    for (const buffer of buffers.list().filter(isActiveBuffer)) {
      const condition = provisioningCondition(buffer, outcomes.get(keyOf(buffer)));
      if (!condition) continue;
      const conditions = withCondition(buffer.status?.conditions ?? [], condition, this.#deps.clock.now());
      const next = { ...buffer, status: { ...buffer.status, conditions } };
      try {
        await buffers.patchStatus(buffer, next, { lock: true }, signal);
      } catch (error) {
        signal.throwIfAborted();
        log.error('updating CapacityBuffer provisioning status', error, {
          CapacityBuffer: { name: buffer.metadata.name, namespace: buffer.metadata.namespace },
        });
      }
    }
  }
}
