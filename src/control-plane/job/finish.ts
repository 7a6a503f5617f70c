import type { Job, Pod } from '../../kube/objects.ts';
import type { Tally } from './tally.ts';

export interface JobEnd {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const DEFAULT_BACKOFF_LIMIT = 6;

/** How the Job ends now, if it does. `started` is epoch milliseconds. */
export function finishOf(
  job: Job,
  count: Tally,
  active: readonly Pod[],
  started: number | undefined,
  now: number,
): JobEnd | undefined {
  if (count.failed > (job.spec.backoffLimit ?? DEFAULT_BACKOFF_LIMIT)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadline = job.spec.activeDeadlineSeconds;
  if (
    deadline !== undefined &&
    started !== undefined &&
    job.spec.suspend !== true &&
    now >= started + deadline * 1000
  ) {
    return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const done =
    job.spec.completions === undefined
      ? count.succeeded > 0 && active.length === 0
      : count.succeeded >= job.spec.completions;
  if (!done) return undefined;
  return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

function failed(reason: string, message: string): JobEnd {
  return { type: 'Failed', reason, message };
}
