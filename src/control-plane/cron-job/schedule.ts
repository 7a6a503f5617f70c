import type { CronSchedule } from '../../kube/cron.ts';

/** The most recent time of a schedule in (`after`, `now`], and whether it missed so many that something must be wrong. */
export interface DueTime {
  readonly time: number;
  readonly tooManyMissed: boolean;
}

/** More missed starts than this are reported. */
const MANY = 100;
const MINUTE = 60_000;

export function mostRecentTime(schedule: CronSchedule, after: number, now: number): DueTime | undefined {
  let time = schedule.next(after);
  if (time === undefined || time > now) return undefined;
  for (let missed = 1; missed <= MANY; missed++) {
    const next = schedule.next(time);
    if (next === undefined || next > now) return { time, tooManyMissed: false };
    time = next;
  }
  return { time: latestBefore(schedule, time, now), tooManyMissed: true };
}

/** Looks back from `now` in doubling steps, so that years of missed minutes cost little. */
function latestBefore(schedule: CronSchedule, known: number, now: number): number {
  for (let span = MINUTE; now - span > known; span *= 2) {
    let time = schedule.next(now - span);
    if (time === undefined || time > now) continue;
    for (let next = schedule.next(time); next !== undefined && next <= now; next = schedule.next(time)) time = next;
    return time;
  }
  return known;
}
