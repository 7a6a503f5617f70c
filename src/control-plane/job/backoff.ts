import type { Pod } from '../../kube/objects.ts';
import { hasFailed, hasSucceeded } from './pod.ts';

const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 600_000;

/**
 * When the next pod may start after failures, in epoch milliseconds (0: at once): 10 s after the last one, doubling with
 * each failure since the last success, at most 10 minutes.
 */
export function backoffUntil(pods: readonly Pod[], failures: number, now: number): number {
  if (failures === 0) return 0;
  const lastSuccess = Math.max(0, ...pods.filter(hasSucceeded).map((pod) => finishTime(pod, now)));
  const since = pods
    .filter(hasFailed)
    .map((pod) => finishTime(pod, now))
    .filter((time) => time > lastSuccess);
  if (since.length === 0) return 0;
  return Math.max(...since) + Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (since.length - 1));
}

/** When its last container ended, else when it was deleted. */
function finishTime(pod: Pod, now: number): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => {
    const terminated = state?.terminated as { readonly finishedAt?: string } | undefined;
    return terminated?.finishedAt === undefined ? 0 : Date.parse(terminated.finishedAt);
  });
  const end = Math.max(0, ...ends);
  if (end > 0) return end;
  return pod.metadata.deletionTimestamp === undefined ? now : Date.parse(pod.metadata.deletionTimestamp);
}
