import { parseDuration } from '../apis/duration.ts';
import { type TimeZone, timeZone, UnknownTimeZoneError } from './time-zone.ts';

/** A schedule that can't be read. The message is robfig/cron's. */
export class CronSyntaxError extends Error {
  override readonly name = 'CronSyntaxError';
}

export interface CronSchedule {
  /** The first time after `after` (exclusive); both in epoch milliseconds. Undefined when none comes within five years. */
  next(after: number): number | undefined;
}

interface Field {
  readonly has: (value: number) => boolean;
  readonly values: readonly number[];
  /** `*` or `?` with no step: for days it means "the other day field decides". */
  readonly star: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MINUTES: Bounds = { min: 0, max: 59 };
const HOURS: Bounds = { min: 0, max: 23 };
const DAYS: Bounds = { min: 1, max: 31 };
const MONTHS: Bounds = {
  min: 1,
  max: 12,
  names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const WEEKDAYS: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEARS_AHEAD = 5;

/**
 * Reads a schedule as robfig/cron v3's ParseStandard does: five fields, macros, `@every 1h30m`, and a leading `TZ=` or
 * `CRON_TZ=`, which wins over `zone`. Throws `CronSyntaxError`.
 */
export function parseCron(spec: string, zone = 'UTC'): CronSchedule {
  if (spec === '') throw new CronSyntaxError('empty spec string');
  const prefixed = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(spec);
  const place = zoneNamed(prefixed?.[1] ?? zone);
  const text = (prefixed?.[2] ?? spec).trim();
  if (text.startsWith('@every ')) return every(text.slice('@every '.length));
  if (text.startsWith('@') && MACROS[text] === undefined) {
    throw new CronSyntaxError(`unrecognized descriptor: ${text}`);
  }
  const fields = (MACROS[text] ?? text).split(/\s+/).filter((field) => field !== '');
  const [minute, hour, day, month, weekday] = fields;
  if (!minute || !hour || !day || !month || !weekday || fields.length > 5) {
    throw new CronSyntaxError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  return new FieldSchedule(
    [
      parseField(minute, MINUTES),
      parseField(hour, HOURS),
      parseField(day, DAYS),
      parseField(month, MONTHS),
      parseField(weekday, WEEKDAYS),
    ],
    place,
  );
}

function zoneNamed(name: string): TimeZone {
  try {
    return timeZone(name);
  } catch (error) {
    if (!(error instanceof UnknownTimeZoneError)) throw error;
    throw new CronSyntaxError(`provided bad location ${name}: ${error.message}`);
  }
}

/** Whole seconds, at least one, counted from the second that `after` is in. */
function every(text: string): CronSchedule {
  const duration = parseDuration(text);
  if (duration === undefined) {
    throw new CronSyntaxError(`failed to parse duration @every ${text}: time: invalid duration "${text}"`);
  }
  const step = Math.max(SECOND, Math.floor(duration / SECOND) * SECOND);
  return { next: (after) => Math.floor(after / SECOND) * SECOND + step };
}

function parseField(text: string, bounds: Bounds): Field {
  const set = new Set<number>();
  let star = false;
  for (const range of text.split(',')) {
    if (range === '') continue;
    star = addRange(range, bounds, set) || star;
  }
  return { has: (value) => set.has(value), values: [...set].sort((a, b) => a - b), star };
}

/** Returns whether the range is a plain star. */
function addRange(expression: string, bounds: Bounds, set: Set<number>): boolean {
  const [range = '', stepText, ...slashes] = expression.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  if (hyphens.length > 0) throw new CronSyntaxError(`too many hyphens: ${expression}`);
  if (slashes.length > 0) throw new CronSyntaxError(`too many slashes: ${expression}`);
  const isStar = low === '*' || low === '?';
  const start = isStar ? bounds.min : numberOf(low, bounds);
  const step = stepText === undefined ? 1 : numberOf(stepText, { min: 0, max: 0 });
  // `N/step` runs to the end of the field.
  const open = isStar || (high === undefined && stepText !== undefined);
  const end = open ? bounds.max : high === undefined ? start : numberOf(high, bounds);
  if (start < bounds.min) {
    throw new CronSyntaxError(`beginning of range (${start}) below minimum (${bounds.min}): ${expression}`);
  }
  if (end > bounds.max) throw new CronSyntaxError(`end of range (${end}) above maximum (${bounds.max}): ${expression}`);
  if (start > end)
    throw new CronSyntaxError(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) throw new CronSyntaxError(`step of range should be a positive number: ${expression}`);
  for (let value = start; value <= end; value += step) set.add(value);
  return isStar && step === 1;
}

function numberOf(text: string, bounds: Bounds): number {
  const named = text === '' ? -1 : (bounds.names?.indexOf(text.toLowerCase()) ?? -1);
  if (named >= 0) return named;
  if (!/^[+-]?\d+$/.test(text)) {
    throw new CronSyntaxError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const value = Number(text);
  if (value < 0) throw new CronSyntaxError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

class FieldSchedule implements CronSchedule {
  readonly #fields: readonly [Field, Field, Field, Field, Field];
  readonly #zone: TimeZone;

  constructor(fields: readonly [Field, Field, Field, Field, Field], zone: TimeZone) {
    this.#fields = fields;
    this.#zone = zone;
  }

  next(after: number): number | undefined {
    const wall = after + this.#zone.offsetAt(after);
    const lastYear = new Date(wall).getUTCFullYear() + YEARS_AHEAD;
    for (let day = Math.floor(wall / DAY) * DAY; ; day += DAY) {
      const date = new Date(day);
      if (date.getUTCFullYear() > lastYear) return undefined;
      if (!this.#matchesDay(date)) continue;
      const found = this.#firstOfDay(day, after);
      if (found !== undefined) return found;
    }
  }

  /** Day of month and day of week: both must match when either is a star, else one suffices (as cron has always had it). */
  #matchesDay(date: Date): boolean {
    const [, , days, months, weekdays] = this.#fields;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const byDay = days.has(date.getUTCDate());
    const byWeekday = weekdays.has(date.getUTCDay());
    return days.star || weekdays.star ? byDay && byWeekday : byDay || byWeekday;
  }

  /** Walks the day's wall times; where clocks are set back a later wall time may come first, so the least one is taken. */
  #firstOfDay(day: number, after: number): number | undefined {
    const [minutes, hours] = this.#fields;
    const before = this.#zone.offsetAt(day - DAY);
    const steady = before === this.#zone.offsetAt(day + 2 * DAY);
    let least: number | undefined;
    for (const hour of hours.values) {
      for (const minute of minutes.values) {
        const wall = day + hour * HOUR + minute * MINUTE;
        const instants = steady ? [wall - before] : this.#zone.instantsOf(wall);
        for (const instant of instants) {
          if (instant <= after) continue;
          if (steady) return instant;
          if (least === undefined || instant < least) least = instant;
        }
      }
    }
    return least;
  }
}
