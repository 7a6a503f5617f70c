import type { Condition, Job, Pod } from '../../kube/objects.ts';
import { isReady, isTerminating } from '../../kube/pods.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { withCondition } from '../conditions.ts';
import { nonZero } from '../counts.ts';
import type { NewEvent } from '../recorder.ts';
import { backoffUntil } from './backoff.ts';
import { finishOf, type JobEnd } from './finish.ts';
import { completionIndex, isIndexed, isRunning, jobPod } from './pod.ts';
import { type Tally, tally } from './tally.ts';

export interface JobPlan {
  /** Written first: it names the pods that are about to be released. */
  readonly status: NonNullable<Job['status']>;
  readonly release: readonly Pod[];
  readonly remove: readonly Pod[];
  readonly create: readonly Pod[];
  readonly events: readonly NewEvent[];
  /** Milliseconds until time alone changes something. */
  readonly again: number | undefined;
}

/** What a Job needs next (upstream's syncJob). `pods` are those it controls. */
export function planJob(job: Job, pods: readonly Pod[], now: number): JobPlan {
  const count = tally(job, pods);
  const active = pods.filter(isRunning);
  const already = endedAs(job);
  if (already !== undefined) return settle(job, count, active, already, now);
  const started = startOf(job, now);
  const end = finishOf(job, count, active, started, now);
  if (end) return settle(job, count, active, end, now, started);
  return job.spec.suspend === true
    ? suspend(job, pods, count, active, now)
    : proceed(job, pods, count, active, started, now);
}

export function endedAs(job: Job): JobEnd | undefined {
  const condition = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  if (!condition) return undefined;
  const { reason = '', message = '' } = condition;
  return { type: condition.type === 'Complete' ? 'Complete' : 'Failed', reason, message };
}

function startOf(job: Job, now: number): number | undefined {
  if (job.status?.startTime !== undefined) return Date.parse(job.status.startTime);
  return job.spec.suspend === true ? undefined : now;
}

function settle(job: Job, count: Tally, active: readonly Pod[], end: JobEnd, now: number, started?: number): JobPlan {
  const news = endedAs(job) === undefined;
  const early = end.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  let conditions: readonly Condition[] = job.status?.conditions ?? [];
  for (const type of [early, end.type]) {
    conditions = withCondition(conditions, { type, status: 'True', reason: end.reason, message: end.message }, now);
  }
  const event: NewEvent =
    end.type === 'Complete'
      ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
      : { type: 'Warning', reason: end.reason, message: end.message };
  const completionTime = end.type === 'Complete' ? (job.status?.completionTime ?? formatTimestamp(now)) : undefined;
  const base = statusOf(job, count, [], 0, conditions, started);
  return {
    status: { ...base, ...(completionTime === undefined ? {} : { completionTime }) },
    release: [...count.release, ...active],
    remove: active.filter((pod) => !isTerminating(pod)),
    create: [],
    events: news ? [event] : [],
    again: undefined,
  };
}

function suspend(job: Job, pods: readonly Pod[], count: Tally, active: readonly Pod[], now: number): JobPlan {
  const before = job.status?.conditions ?? [];
  const was = before.some(({ type, status }) => type === 'Suspended' && status === 'True');
  const conditions = withCondition(
    before,
    { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
    now,
  );
  const { startTime: _, ...status } = statusOf(job, count, [], terminating(pods), conditions, undefined);
  return {
    status,
    release: count.release,
    remove: active,
    create: [],
    events: was ? [] : [{ type: 'Normal', reason: 'Suspended', message: 'Job suspended' }],
    again: undefined,
  };
}

function proceed(
  job: Job,
  pods: readonly Pod[],
  count: Tally,
  active: readonly Pod[],
  started: number | undefined,
  now: number,
): JobPlan {
  const before = job.status?.conditions ?? [];
  const resumed = before.some(({ type, status }) => type === 'Suspended' && status === 'True');
  const conditions = resumed
    ? withCondition(before, { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }, now)
    : before;
  const events: NewEvent[] = resumed ? [{ type: 'Normal', reason: 'Resumed', message: 'Job resumed' }] : [];
  const wait = backoffUntil(pods, count.failed, now) - now;
  const surplus = active.length - wantedActive(job, count);
  const remove = surplus > 0 ? [...active].sort(leastAdvancedFirst).slice(0, surplus) : [];
  const create = surplus < 0 && wait <= 0 && !isTerminating(job) ? newPods(job, count, active, -surplus) : [];
  return {
    status: statusOf(job, count, active, terminating(pods), conditions, started),
    release: count.release,
    remove,
    create,
    events,
    again: soonest(surplus < 0 && wait > 0 ? wait : undefined, deadlineIn(job, started, now)),
  };
}

function wantedActive(job: Job, count: Tally): number {
  const parallelism = job.spec.parallelism ?? 1;
  if (job.spec.completions !== undefined)
    return Math.max(0, Math.min(parallelism, job.spec.completions - count.succeeded));
  // A work queue: once one pod has succeeded no new ones start, and the rest may finish.
  return count.succeeded > 0 ? 0 : parallelism;
}

function newPods(job: Job, count: Tally, active: readonly Pod[], needed: number): readonly Pod[] {
  if (!isIndexed(job)) return Array.from({ length: needed }, () => jobPod(job));
  const taken = new Set(active.map(completionIndex));
  const pods: Pod[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && pods.length < needed; index++) {
    if (!count.completed.has(index) && !taken.has(index)) pods.push(jobPod(job, index));
  }
  return pods;
}

function leastAdvancedFirst(a: Pod, b: Pod): number {
  return Number(isReady(a)) - Number(isReady(b)) || Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName));
}

function terminating(pods: readonly Pod[]): number {
  return pods.filter(
    (pod) => isTerminating(pod) && !(pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'),
  ).length;
}

function statusOf(
  job: Job,
  count: Tally,
  active: readonly Pod[],
  terminatingPods: number,
  conditions: readonly Condition[],
  started: number | undefined,
): NonNullable<Job['status']> {
  const { completedIndexes, ...counted } = count.counted;
  const startTime = job.status?.startTime ?? (started === undefined ? undefined : formatTimestamp(started));
  return {
    ...(startTime === undefined ? {} : { startTime }),
    ...(job.status?.completionTime === undefined ? {} : { completionTime: job.status.completionTime }),
    ...nonZero({ active: active.length, ...counted }),
    ready: active.filter(isReady).length,
    terminating: terminatingPods,
    ...(completedIndexes === '' ? {} : { completedIndexes }),
    uncountedTerminatedPods: Object.fromEntries(
      Object.entries(count.uncounted).filter(([, uids]: [string, readonly string[]]) => uids.length > 0),
    ),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function deadlineIn(job: Job, started: number | undefined, now: number): number | undefined {
  if (job.spec.activeDeadlineSeconds === undefined || started === undefined) return undefined;
  return Math.max(0, started + job.spec.activeDeadlineSeconds * 1000 - now);
}

function soonest(...times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
