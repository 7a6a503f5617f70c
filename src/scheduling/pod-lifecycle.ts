/** What a pod's state means for scheduling and disruption (upstream's pkg/utils/pod/scheduling.go). `now` is epoch ms. */
import { parseDuration } from '../apis/duration.ts';
import { ANNOTATION_DO_NOT_DISRUPT, TAINT_DISRUPTED } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { isActive, isOwnedBy, isTerminal, isTerminating } from '../kube/pods.ts';
import { tolerates } from '../kube/taints.ts';

/** A deleted pod that is still there this long after its grace period has ended is stuck. */
const STUCK_AFTER_MS = 60_000;

export function isOwnedByDaemonSet(pod: Pod): boolean {
  return isOwnedBy(pod, 'DaemonSet', 'apps');
}

/** A mirror pod of a static pod. */
export function isOwnedByNode(pod: Pod): boolean {
  return isOwnedBy(pod, 'Node', '');
}

/** The pod has been refused by the scheduler and waits for a node (karpenter-core.md 3.1.1). */
export function isProvisionable(pod: Pod): boolean {
  return (
    (pod.status?.conditions ?? []).some((c) => c.type === 'PodScheduled' && c.reason === 'Unschedulable') &&
    !pod.spec.nodeName &&
    !pod.status?.nominatedNodeName &&
    !isOwnedByDaemonSet(pod) &&
    !isOwnedByNode(pod)
  );
}

/** The pod needs a home when its node goes; a StatefulSet's terminating pod counts, since its successor waits for it. */
export function isReschedulable(pod: Pod): boolean {
  return (
    (isActive(pod) || (isTerminating(pod) && isOwnedBy(pod, 'StatefulSet', 'apps'))) &&
    !isOwnedByDaemonSet(pod) &&
    !isOwnedByNode(pod)
  );
}

export type DoNotDisrupt =
  | { readonly state: 'none' }
  | { readonly state: 'active'; readonly until?: number }
  | { readonly state: 'elapsed' }
  /** The annotation is neither `true` nor a positive duration, and is ignored. */
  | { readonly state: 'invalid'; readonly value: string };

/** What the do-not-disrupt annotation says at `now` (karpenter-core.md 6.3). */
export function doNotDisrupt(pod: Pod, now: number): DoNotDisrupt {
  const value = pod.metadata.annotations?.[ANNOTATION_DO_NOT_DISRUPT];
  if (value === undefined) return { state: 'none' };
  if (value === 'true') return { state: 'active' };
  const duration = parseDuration(value);
  if (duration === undefined || duration <= 0) return { state: 'invalid', value };
  if (pod.status?.startTime === undefined) return { state: 'active' };
  const until = Date.parse(pod.status.startTime) + duration;
  return now < until ? { state: 'active', until } : { state: 'elapsed' };
}

/** Not protected by do-not-disrupt; what is not active needs no protection. */
export function isDisruptable(pod: Pod, now: number): boolean {
  return !isActive(pod) || doNotDisrupt(pod, now).state !== 'active';
}

/** Whether the pod stays through a drain because it tolerates the disrupted taint. */
function toleratesDisruption(pod: Pod): boolean {
  return (pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, TAINT_DISRUPTED));
}

/** Karpenter may call the eviction API for the pod now. */
export function isEvictable(pod: Pod, now: number): boolean {
  return isActive(pod) && !toleratesDisruption(pod) && !isOwnedByNode(pod) && doNotDisrupt(pod, now).state !== 'active';
}

function isStuckTerminating(pod: Pod, now: number): boolean {
  const deleted = pod.metadata.deletionTimestamp;
  return deleted !== undefined && now - Date.parse(deleted) > STUCK_AFTER_MS;
}

/** A drain takes the pod off its node, sooner or later: also one that is protected or has ended (karpenter-core.md 6.5). */
export function isDrainable(pod: Pod, now: number): boolean {
  return !toleratesDisruption(pod) && !isStuckTerminating(pod, now) && !isOwnedByNode(pod);
}

/** The drain waits for the pod to go: also for protected ones, which nobody evicts (karpenter-core.md 6.1.1). */
export function isWaitingEviction(pod: Pod, now: number): boolean {
  return !isTerminal(pod) && isDrainable(pod, now);
}
