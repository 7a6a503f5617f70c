import type { Pod } from '../../kube/objects.ts';
import { isTerminal, isTerminating } from '../../kube/pods.ts';

/** Why a pod is collected. */
export type Garbage = 'orphaned' | 'unscheduled' | 'terminated';

/**
 * Pods that nobody else will remove: on a node that is gone, deleted before they had a node, and, beyond `limit`, finished
 * ones, the oldest first (upstream's podgc).
 */
export function collectablePods(
  pods: readonly Pod[],
  isGone: (nodeName: string) => boolean,
  limit: number,
): ReadonlyMap<Pod, Garbage> {
  const garbage = new Map<Pod, Garbage>();
  for (const pod of pods) {
    if (pod.spec.nodeName ? isGone(pod.spec.nodeName) : isTerminating(pod)) {
      garbage.set(pod, pod.spec.nodeName ? 'orphaned' : 'unscheduled');
    }
  }
  const finished = pods.filter(isTerminal);
  if (finished.length > limit) {
    const oldest = [...finished].sort((a, b) => created(a) - created(b)).slice(0, finished.length - limit);
    for (const pod of oldest) if (!garbage.has(pod)) garbage.set(pod, 'terminated');
  }
  return garbage;
}

function created(pod: Pod): number {
  return Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
}
