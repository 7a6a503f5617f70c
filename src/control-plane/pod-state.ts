/** How long pods have been ready, as the workload controllers ask (upstream's pkg/api/v1/pod). */
import { findCondition } from '../kube/conditions.ts';
import type { Pod } from '../kube/objects.ts';
import { isReady } from '../kube/pods.ts';

/** When Ready last turned, in epoch milliseconds. */
export function readySince(pod: Pod): number | undefined {
  const time = findCondition(pod, 'Ready')?.lastTransitionTime;
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
