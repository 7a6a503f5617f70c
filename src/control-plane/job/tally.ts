import type { Job, Pod } from '../../kube/objects.ts';
import { formatIndexes, parseIndexes } from './indexes.ts';
import { completionIndex, hasFailed, hasSucceeded, isIndexed, isTracked } from './pod.ts';

export interface Uncounted {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}

/**
 * The finished pods of a Job. A pod is counted once, whatever happens to it: its uid is first written into
 * status.uncountedTerminatedPods, then its finalizer is taken off, and when that is gone the counter goes up.
 */
export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: ReadonlySet<number>;
  /** The counters and lists as they go into the status. */
  readonly counted: { readonly succeeded: number; readonly failed: number; readonly completedIndexes: string };
  readonly uncounted: Uncounted;
  /** Pods whose finalizer can go as soon as the status is written. */
  readonly release: readonly Pod[];
}

export function tally(job: Job, pods: readonly Pod[]): Tally {
  const stored = (job.status?.uncountedTerminatedPods ?? {}) as Partial<Uncounted>;
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const tracked = (uid: string): boolean => {
    const pod = byUid.get(uid);
    return pod !== undefined && isTracked(pod);
  };
  const completed = new Set(parseIndexes(job.status?.completedIndexes, job.spec.completions ?? 0));
  const succeeded = new Set((stored.succeeded ?? []).filter(tracked));
  const failed = new Set((stored.failed ?? []).filter(tracked));
  const counted = {
    succeeded: (job.status?.succeeded ?? 0) + (stored.succeeded ?? []).length - succeeded.size,
    failed: (job.status?.failed ?? 0) + (stored.failed ?? []).length - failed.size,
  };
  const release: Pod[] = [];
  for (const [uid, pod] of byUid) {
    if (!isTracked(pod)) continue;
    if (hasSucceeded(pod)) {
      const index = completionIndex(pod);
      if (!isIndexed(job)) succeeded.add(uid);
      else if (index !== undefined && index < (job.spec.completions ?? 0)) completed.add(index);
      release.push(pod);
    } else if (hasFailed(pod)) {
      failed.add(uid);
      release.push(pod);
    }
  }
  const indexed = isIndexed(job);
  return {
    succeeded: indexed ? completed.size : counted.succeeded + succeeded.size,
    failed: counted.failed + failed.size,
    completed,
    counted: {
      succeeded: indexed ? completed.size : counted.succeeded,
      failed: counted.failed,
      completedIndexes: formatIndexes(completed),
    },
    uncounted: { succeeded: [...succeeded], failed: [...failed] },
    release,
  };
}
