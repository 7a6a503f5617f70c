import { findCondition } from '../../kube/conditions.ts';
import type { Pod } from '../../kube/objects.ts';
import { isBound, isReady } from '../../kube/pods.ts';
import { Pods } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';

type Deps = Pick<ControllerContext, 'informers' | 'metrics'>;

/** Seconds from the pod's creation until a condition of it became what it is. */
function secondsUntil(pod: Pod, condition: string): number {
  const time = findCondition(pod, condition)?.lastTransitionTime;
  return (Date.parse(time ?? '') - Date.parse(pod.metadata.creationTimestamp ?? '')) / 1000;
}

/** Measures how long pods take until they are bound, and until they are ready for the first time (11.4.24). */
export function observePods({ informers, metrics }: Deps): void {
  /** Uids of pods that have been ready: being ready again is no start. */
  const started = new Set<string>();
  informers.for(Pods).onChange((change) => {
    const { object: pod } = change;
    const uid = pod.metadata.uid ?? '';
    if (change.type === 'Deleted') {
      started.delete(uid);
      return;
    }
    if (change.type === 'Updated' && !isBound(change.old) && isBound(pod)) {
      const seconds = secondsUntil(pod, 'PodScheduled');
      if (Number.isFinite(seconds)) metrics.observe('pods_bound_duration_seconds', seconds);
    }
    if (!isReady(pod) || started.has(uid)) return;
    started.add(uid);
    const seconds = secondsUntil(pod, 'Ready');
    // What was ready when we came is not ours to measure.
    if (change.type === 'Updated' && Number.isFinite(seconds))
      metrics.observe('pods_startup_duration_seconds', seconds);
  });
}
