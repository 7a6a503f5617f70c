import { durationProblem, parseDuration } from '../apis/duration.ts';
import { ANNOTATION_DO_NOT_DISRUPT } from '../apis/labels.ts';
import type { Event } from '../events/recorder.ts';
import type { Pod } from '../kube/objects.ts';
import { Pods } from '../kube/resources.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { doNotDisrupt } from '../scheduling/pod-lifecycle.ts';

/**
 * What a pod is told about its do-not-disrupt annotation whenever that is looked at: that it can't be read, until when it
 * holds, or that it has run out. The value `true` needs no comment (karpenter-core.md 6.3).
 */
export function doNotDisruptEvents(pod: Pod, now: number): readonly Event[] {
  const protection = doNotDisrupt(pod, now);
  const uid = pod.metadata.uid ?? '';
  const event = { resource: Pods, object: pod } as const;
  if (protection.state === 'invalid') {
    const problem = problemOf(protection.value);
    const message = `Invalid ${ANNOTATION_DO_NOT_DISRUPT} annotation: ${problem}, ignoring annotation`;
    return [{ ...event, type: 'Warning', reason: 'InvalidDoNotDisruptAnnotation', message, dedupe: [uid, problem] }];
  }
  if (protection.state === 'elapsed') {
    const message = `The ${ANNOTATION_DO_NOT_DISRUPT} grace period has elapsed, pod is now disruptable`;
    return [{ ...event, type: 'Normal', reason: 'DoNotDisruptGracePeriodElapsed', message, dedupe: [uid] }];
  }
  if (protection.state === 'none' || protection.until === undefined) return [];
  const until = formatTimestamp(protection.until);
  const message = `The ${ANNOTATION_DO_NOT_DISRUPT} grace period will elapse at ${until}`;
  return [{ ...event, type: 'Normal', reason: 'DoNotDisruptUntil', message, dedupe: [uid, until] }];
}

function problemOf(value: string): string {
  const quoted = JSON.stringify(value);
  if (parseDuration(value) !== undefined) return `duration ${quoted} must be positive`;
  return `failed to parse ${quoted} as a duration: ${durationProblem(value)}`;
}
