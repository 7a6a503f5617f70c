const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A duration in milliseconds as kubectl prints ages: `45s`, `3m12s`, `5h3m`, `5d`, `2y10d`. */
export function formatAge(ms: number): string {
  if (ms < 0) return ms > -SECOND * 2 ? '0s' : '<invalid>';
  const whole = (unit: number): number => Math.floor(ms / unit);
  const pair = (unit: number, name: string, sub: number, subName: string): string => {
    const rest = Math.floor((ms % unit) / sub);
    return `${whole(unit)}${name}${rest > 0 ? `${rest}${subName}` : ''}`;
  };
  if (ms < 2 * MINUTE) return `${whole(SECOND)}s`;
  if (ms < 10 * MINUTE) return pair(MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${whole(MINUTE)}m`;
  if (ms < 8 * HOUR) return pair(HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${whole(HOUR)}h`;
  if (ms < 8 * DAY) return pair(DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${whole(DAY)}d`;
  if (ms < 8 * YEAR) return pair(YEAR, 'y', DAY, 'd');
  return `${whole(YEAR)}y`;
}

/** The age of an RFC 3339 time at `now` (epoch milliseconds); `<unknown>` without one. */
export function ageOf(timestamp: string | undefined, now: number): string {
  const time = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(time) ? '<unknown>' : formatAge(now - time);
}
