import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Event } from '../../events/recorder.ts';
import type { Node, Pod } from '../../kube/objects.ts';
import { NodePools, Pods } from '../../kube/resources.ts';

const NOMINATIONS = { perSecond: 5, burst: 10 };

/** Where the pod is meant to run once the scheduler gets to it. */
export function nominated(
  pod: Pod,
  { node, nodeClaim }: { readonly node?: Node; readonly nodeClaim?: NodeClaim },
): Event {
  const targets = [
    ...(nodeClaim ? [`nodeclaim/${nodeClaim.metadata.name}`] : []),
    ...(node ? [`node/${node.metadata.name}`] : []),
  ];
  return {
    resource: Pods,
    object: pod,
    type: 'Normal',
    reason: 'Nominated',
    message: `Pod should schedule on: ${targets.join(', ')}`,
    dedupe: [pod.metadata.uid ?? ''],
    limit: NOMINATIONS,
  };
}

export function failedScheduling(pod: Pod, problem: string): Event {
  return {
    resource: Pods,
    object: pod,
    type: 'Warning',
    reason: 'FailedScheduling',
    message: `Failed to schedule pod, ${problem}`,
    dedupe: [pod.metadata.uid ?? ''],
    dedupeMs: 300_000,
  };
}

/** Said to pods that a pass ran out of time before; upstream says nothing to them. */
export function notReachedYet(pod: Pod, place: number, of: number): Event {
  return {
    resource: Pods,
    object: pod,
    type: 'Normal',
    reason: 'NotReached',
    message: `Pod was not tried yet, the scheduling pass ran out of time; place ${place} of ${of} in the next one`,
    dedupe: [pod.metadata.uid ?? ''],
  };
}

/** @param minValues it is those that can't be met. */
export function noCompatibleInstanceTypes(nodePool: NodePool, minValues: boolean): Event {
  return {
    resource: NodePools,
    object: nodePool,
    type: 'Warning',
    reason: 'NoCompatibleInstanceTypes',
    message: `NodePool requirements filtered out all compatible available instance types${minValues ? ' due to minValues incompatibility' : ''}`,
    dedupe: [nodePool.metadata.uid ?? ''],
    dedupeMs: 60_000,
  };
}
