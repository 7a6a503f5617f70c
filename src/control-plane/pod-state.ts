/** What the workload controllers ask of one pod (upstream's pkg/api/v1/pod and controller_utils.go). */
import type { Condition, Pod } from '../kube/objects.ts';

export function conditionOf(object: { readonly conditions?: readonly Condition[] } | undefined, type: string) {
  return object?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod.status, 'Ready')?.status === 'True';
}

/** When Ready last turned, in epoch milliseconds. */
export function readySince(pod: Pod): number | undefined {
  const time = conditionOf(pod.status, 'Ready')?.lastTransitionTime;
  return time === undefined ? undefined : Date.parse(time);
}

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the next of the ready pods becomes available; undefined when none is waiting for that. */
export function nextAvailability(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods
    .filter((pod) => isReady(pod) && !isAvailable(pod, minReadySeconds, now))
    .map((pod) => (readySince(pod) ?? now) + minReadySeconds * 1000 - now);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isDeleting(object: { readonly metadata: Pod['metadata'] }): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isDeleting(pod);
}
