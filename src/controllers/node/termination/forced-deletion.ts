import type { Pod } from '../../../kube/objects.ts';
import { isTerminating } from '../../../kube/pods.ts';

const SHORTEST_GRACE_SECONDS = 1;

/**
 * Whether the node's deadline leaves the pod no more time than its own grace period, so that it has to be deleted now,
 * whatever protects it. A pod that is already going is deleted again if it would outlast the node.
 */
export function mustGoNow(pod: Pod, deadline: number | undefined, now: number): boolean {
  const grace = pod.spec.terminationGracePeriodSeconds;
  if (deadline === undefined || grace === undefined) return false;
  const due = now > deadline - grace * 1000;
  return isTerminating(pod) ? due && Date.parse(pod.metadata.deletionTimestamp ?? '') > deadline : due;
}

/** Seconds that are left for the pod; never none, which would take it out of the API while it runs. */
export function remainingGraceSeconds(deadline: number, now: number): number {
  return Math.max(Math.floor((deadline - now) / 1000), SHORTEST_GRACE_SECONDS);
}
