import { type CapacityBuffer, PROVISIONING, READY_FOR_PROVISIONING } from '../../apis/capacity-buffer.ts';
import type { Condition } from '../../kube/objects.ts';
import type { BufferOutcome } from './buffer-outcomes.ts';

/**
 * What a pass says about a buffer: True when all of it fits on nodes that are there. Undefined when the pass says nothing
 * (karpenter-core.md 3.11.6).
 */
export function provisioningCondition(
  { metadata, status }: CapacityBuffer,
  outcome: BufferOutcome | undefined,
): Condition | undefined {
  const { generation } = metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const isNot = (reason: string, message: string): Condition => ({
    type: PROVISIONING,
    status: 'False',
    reason,
    message,
    ...observed,
  });
  const isReady = status?.conditions?.some((c) => c.type === READY_FOR_PROVISIONING && c.status === 'True');
  if (!isReady) return isNot('NotReadyForProvisioning', 'Buffer is not ReadyForProvisioning');
  const replicas = status?.replicas ?? 0;
  if (replicas === 0) return isNot('BufferEmpty', 'Buffer has zero desired replicas');
  if (!outcome) return undefined;
  if (outcome.new + outcome.failed > 0) {
    const message = `${outcome.new}/${replicas} virtual pods required new capacity, ${outcome.failed} failed`;
    return isNot('RequiresNewCapacity', message);
  }
  if (outcome.existing !== replicas) return undefined;
  const message = `All ${replicas} virtual pods fit on existing capacity`;
  return { type: PROVISIONING, status: 'True', reason: 'FitsExistingCapacity', message, ...observed };
}
