/** How much it costs to move pods (karpenter-core.md 7.2.5-7.2.7, upstream's pkg/utils/disruption). */
import { ANNOTATION_POD_DELETION_COST } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';

/** Draining a node costs this much even when nothing has to move. */
export const NODE_BASE_COST = 1;

const LARGEST_COST = 10;
const DELETION_COST_UNIT = 2 ** 27;
const PRIORITY_UNIT = 2 ** 25;

/** A pod with no deletion cost and no priority costs 1; the result is within [-10, 10]. */
export function evictionCost(pod: Pod): number {
  const annotation = pod.metadata.annotations?.[ANNOTATION_POD_DELETION_COST]?.trim();
  const deletionCost = annotation ? Number(annotation) : 0;
  const cost =
    1 + (Number.isNaN(deletionCost) ? 0 : deletionCost / DELETION_COST_UNIT) + (pod.spec.priority ?? 0) / PRIORITY_UNIT;
  return Math.min(Math.max(cost, -LARGEST_COST), LARGEST_COST);
}

/** The base cost plus what the pods cost; pods that cost less than nothing don't make a node cheaper. */
export function rescheduleDisruptionCost(reschedulablePods: readonly Pod[]): number {
  return reschedulablePods.reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), NODE_BASE_COST);
}
