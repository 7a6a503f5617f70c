import { type CronSchedule, CronSyntaxError, parseCron } from '../../kube/cron.ts';
import type { CronJob, Job } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { endedAs } from '../job/plan.ts';
import { controllerReference } from '../owners.ts';
import type { NewEvent } from '../recorder.ts';
import { type DueTime, mostRecentTime } from './schedule.ts';

const CRON_JOB_KIND = { group: 'batch', version: 'v1', kind: 'CronJob' };
const MINUTE = 60_000;

export interface CronJobPlan {
  readonly create: Job | undefined;
  readonly remove: readonly Job[];
  readonly status: NonNullable<CronJob['status']>;
  readonly events: readonly NewEvent[];
  /** Milliseconds until the next start. */
  readonly again: number | undefined;
}

/** What a CronJob does now (upstream's syncCronJob). `jobs` are those it controls. */
export function planCronJob(cronJob: CronJob, jobs: readonly Job[], now: number): CronJobPlan {
  const active = jobs.filter((job) => endedAs(job) === undefined);
  const history = surplusHistory(cronJob, jobs);
  const events: NewEvent[] = [];
  const idle = (again?: number): CronJobPlan => ({
    create: undefined,
    remove: history,
    status: statusOf(cronJob, jobs, active),
    events: [...events, ...completions(cronJob, jobs)],
    again,
  });
  if (isTerminating(cronJob) || cronJob.spec.suspend === true) return idle();
  const schedule = scheduleOf(cronJob, events);
  if (schedule === undefined) return idle();
  const again = untilNext(schedule, now);
  const due = dueTime(cronJob, schedule, now);
  if (due === undefined) return idle(again);
  const lastScheduleTime = formatTimestamp(due.time);
  if (jobs.some((job) => job.metadata.name === jobName(cronJob, due.time))) {
    const waiting = idle(again);
    return { ...waiting, status: { ...waiting.status, lastScheduleTime } };
  }
  if (due.tooManyMissed) {
    const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
    events.push({ type: 'Warning', reason: 'TooManyMissedTimes', message });
  }
  const deadline = cronJob.spec.startingDeadlineSeconds;
  if (deadline !== undefined && due.time + deadline * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${new Date(due.time).toUTCString()}`;
    events.push({ type: 'Warning', reason: 'MissSchedule', message });
    return idle(again);
  }
  if (cronJob.spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    events.push({ type: 'Normal', reason: 'JobAlreadyActive', message });
    return idle(again);
  }
  const replaced = cronJob.spec.concurrencyPolicy === 'Replace' ? active : [];
  return {
    create: newJob(cronJob, due.time),
    remove: [...history, ...replaced],
    status: {
      ...statusOf(cronJob, jobs, replaced.length > 0 ? [] : active),
      lastScheduleTime,
    },
    events: [...events, ...completions(cronJob, jobs)],
    again,
  };
}

function scheduleOf(cronJob: CronJob, events: NewEvent[]): CronSchedule | undefined {
  try {
    return parseCron(cronJob.spec.schedule, cronJob.spec.timeZone ?? 'UTC');
  } catch (error) {
    if (!(error instanceof CronSyntaxError)) throw error;
    const message = `unparseable schedule: ${cronJob.spec.schedule} : ${error.message}`;
    events.push({ type: 'Warning', reason: 'UnparseableSchedule', message });
    return undefined;
  }
}

function dueTime(cronJob: CronJob, schedule: CronSchedule, now: number): DueTime | undefined {
  const created = Date.parse(cronJob.metadata.creationTimestamp ?? formatTimestamp(now));
  const last = cronJob.status?.lastScheduleTime;
  const earliest = last === undefined ? created : Date.parse(last);
  return mostRecentTime(schedule, earliest, now);
}

function untilNext(schedule: CronSchedule, now: number): number | undefined {
  const next = schedule.next(now);
  return next === undefined ? undefined : next - now + 100;
}

function jobName(cronJob: CronJob, time: number): string {
  return `${cronJob.metadata.name}-${Math.floor(time / MINUTE)}`;
}

function newJob(cronJob: CronJob, time: number): Job {
  const { jobTemplate } = cronJob.spec;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, time),
      namespace: cronJob.metadata.namespace,
      labels: jobTemplate.metadata?.labels,
      annotations: {
        ...jobTemplate.metadata?.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': formatTimestamp(time),
      },
      ownerReferences: [controllerReference(cronJob, CRON_JOB_KIND)],
    },
    spec: jobTemplate.spec,
  };
}

function statusOf(cronJob: CronJob, jobs: readonly Job[], active: readonly Job[]): NonNullable<CronJob['status']> {
  const completions = jobs
    .flatMap((job) => (endedAs(job)?.type === 'Complete' ? [job.status?.completionTime ?? ''] : []))
    .sort();
  const lastSuccessfulTime = [cronJob.status?.lastSuccessfulTime ?? '', ...completions].sort().at(-1);
  return {
    ...(active.length === 0 ? {} : { active: active.map(reference) }),
    ...(cronJob.status?.lastScheduleTime === undefined ? {} : { lastScheduleTime: cronJob.status.lastScheduleTime }),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

function reference(job: Job): Readonly<Record<string, unknown>> {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', name, namespace, uid, resourceVersion };
}

function completions(cronJob: CronJob, jobs: readonly Job[]): readonly NewEvent[] {
  const known = new Set((cronJob.status?.active ?? []).map(({ uid }) => uid));
  return jobs.flatMap((job) => {
    const end = endedAs(job);
    if (end === undefined || !known.has(job.metadata.uid)) return [];
    const message = `Saw completed job: ${job.metadata.name}, condition: ${end.type}`;
    return [{ type: 'Normal', reason: 'SawCompletedJob', message }];
  });
}

/** Finished Jobs beyond the history limits, oldest first. */
function surplusHistory(cronJob: CronJob, jobs: readonly Job[]): readonly Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec;
  const surplus = (type: string, limit: number): readonly Job[] => {
    const ended = jobs.filter((job) => endedAs(job)?.type === type).sort(oldestFirst);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...surplus('Complete', successfulJobsHistoryLimit), ...surplus('Failed', failedJobsHistoryLimit)];
}

function oldestFirst(a: Job, b: Job): number {
  return (a.status?.startTime ?? '') < (b.status?.startTime ?? '') ? -1 : 1;
}
