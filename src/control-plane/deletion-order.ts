import { ANNOTATION_POD_DELETION_COST } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { isActive, isReady } from '../kube/pods.ts';
import { readySince } from './pod-state.ts';

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The pods to delete first come first (upstream's ActivePodsWithRanks): unassigned, pending, not ready, cheap to delete,
 * doubled up on a node with `related` pods, lately ready, often restarted, young. Ages compare by their order of
 * magnitude, so that pods of about the same age are taken in the random order of their uids.
 */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[], now: number): readonly Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    if (isActive(pod)) onNode.set(pod.spec.nodeName ?? '', (onNode.get(pod.spec.nodeName ?? '') ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rank(pod, onNode.get(pod.spec.nodeName ?? '') ?? 0, now));
  return ranked.sort(compareRanks).map(({ pod }) => pod);
}

interface Rank {
  readonly pod: Pod;
  /** Compared number by number; less is deleted first. */
  readonly numbers: readonly number[];
}

function rank(pod: Pod, neighbours: number, now: number): Rank {
  const ready = isReady(pod);
  return {
    pod,
    numbers: [
      pod.spec.nodeName ? 1 : 0,
      PHASE_ORDER[pod.status?.phase ?? ''] ?? 0,
      ready ? 1 : 0,
      deletionCost(pod),
      -neighbours,
      ready ? magnitude(readySince(pod), now) : 0,
      -restarts(pod),
      magnitude(timeOf(pod.metadata.creationTimestamp), now),
    ],
  };
}

function compareRanks(a: Rank, b: Rank): number {
  for (let i = 0; i < a.numbers.length; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return (a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1;
}

function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[ANNOTATION_POD_DELETION_COST] ?? '0';
  return /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

function restarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0));
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** The binary logarithm of the age in seconds: less for younger. No time at all counts as the youngest. */
function magnitude(time: number | undefined, now: number): number {
  if (time === undefined) return -2;
  const seconds = Math.floor((now - time) / 1000);
  return seconds <= 0 ? -1 : Math.floor(Math.log2(seconds));
}
