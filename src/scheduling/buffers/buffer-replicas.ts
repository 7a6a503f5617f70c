import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { PodSpec } from '../../kube/objects.ts';
import { podSpecRequests } from '../../kube/pod-requests.ts';
import { toResources } from '../resource-list.ts';

const INT32_MAX = 2 ** 31 - 1;

/**
 * How many pods the buffer has: the greater of its replicas and its percentage, as far as its limits allow; with limits
 * alone, as many as they allow (karpenter-core.md 3.11.2).
 *
 * @param podSpec of one pod of the buffer.
 * @param scalableReplicas of the workload that the buffer is for; undefined when it is for a pod template.
 */
export function bufferReplicas(
  { replicas, percentage, limits }: CapacityBuffer['spec'],
  podSpec: PodSpec,
  scalableReplicas?: number,
): number {
  const wanted: number[] = [];
  if (percentage !== undefined && scalableReplicas) wanted.push(Math.ceil((scalableReplicas * percentage) / 100));
  if (replicas !== undefined) wanted.push(replicas);
  const allowed = limits && allowedBy(toResources(limits), podSpecRequests(podSpec));
  if (allowed === undefined) return Math.max(0, ...wanted);
  return wanted.length === 0 ? allowed : Math.min(allowed, Math.max(...wanted));
}

/** How many pods fit into the limits; undefined when the pods ask for nothing that is limited. */
function allowedBy(
  limits: Readonly<Record<string, number>>,
  requests: Readonly<Record<string, number>>,
): number | undefined {
  const counts = Object.entries(limits).flatMap(([name, limit]) => {
    const request = requests[name] ?? 0;
    return request === 0 ? [] : [Math.floor(limit / request)];
  });
  return counts.length === 0 ? undefined : Math.min(INT32_MAX, ...counts);
}
