import { describe, expect, test } from 'vitest';
import { parseCron } from '../../kube/cron.ts';
import { mostRecentTime } from './schedule.ts';

const at = (text: string): number => Date.parse(text);

describe('the most recent time of a schedule', () => {
  test.each([
    ['none yet', '0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:59:59Z', undefined],
    ['the one that is now', '0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', '2026-01-01T01:00:00.000Z'],
    ['the last of several', '0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T05:30:00Z', '2026-01-01T05:00:00.000Z'],
    [
      'after years of missed minutes',
      '* * * * *',
      '2020-01-01T00:00:00Z',
      '2026-01-01T00:00:30Z',
      '2026-01-01T00:00:00.000Z',
    ],
    ['a rare one after many', '0 0 1 1 *', '1850-06-01T00:00:00Z', '2026-06-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
  ])('%s', (_, spec, after, now, expected) => {
    const due = mostRecentTime(parseCron(spec), at(after), at(now));
    expect(due && new Date(due.time).toISOString()).toBe(expected);
  });

  test('says when far too many were missed', () => {
    const schedule = parseCron('* * * * *');
    const start = at('2026-01-01T00:00:00Z');
    expect(mostRecentTime(schedule, start, start + 100 * 60_000)?.tooManyMissed).toBe(false);
    expect(mostRecentTime(schedule, start, start + 101 * 60_000)?.tooManyMissed).toBe(true);
  });
});
