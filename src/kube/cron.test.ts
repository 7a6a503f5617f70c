import { describe, expect, test } from 'vitest';
import { CronSyntaxError, parseCron } from './cron.ts';

const next = (spec: string, after: string, zone?: string): string | undefined => {
  const time = parseCron(spec, zone).next(Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString().replace('.000Z', 'Z');
};

describe('the next time of a schedule', () => {
  test.each([
    ['every minute', '* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    ['a second before the minute', '* * * * *', '2026-01-01T00:00:59Z', '2026-01-01T00:01:00Z'],
    ['exactly at a match it is the following one', '0 * * * *', '2026-01-01T05:00:00Z', '2026-01-01T06:00:00Z'],
    ['a millisecond before a match it is the match', '0 * * * *', '2026-01-01T04:59:59.999Z', '2026-01-01T05:00:00Z'],
    ['steps', '*/15 * * * *', '2026-01-01T00:16:00Z', '2026-01-01T00:30:00Z'],
    ['a step from a start runs to the end', '40/10 * * * *', '2026-01-01T00:51:00Z', '2026-01-01T01:40:00Z'],
    ['ranges with steps', '0 8-18/5 * * *', '2026-01-01T13:00:00Z', '2026-01-01T18:00:00Z'],
    ['lists', '5,10 3 * * *', '2026-01-01T03:05:00Z', '2026-01-01T03:10:00Z'],
    ['month names', '0 0 1 MAR *', '2026-04-01T00:00:00Z', '2027-03-01T00:00:00Z'],
    ['weekday names', '0 9 * * mon-fri', '2026-01-02T09:00:00Z', '2026-01-05T09:00:00Z'],
    ['sunday is 0', '0 0 * * 0', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['a question mark is a star', '0 0 ? * ?', '2026-01-01T12:00:00Z', '2026-01-02T00:00:00Z'],
    ['day of month or day of week when both are given', '0 0 13 * 5', '2026-01-10T00:00:00Z', '2026-01-13T00:00:00Z'],
    ['a stepped star still counts as given', '0 0 */20 * 1', '2026-01-01T00:00:00Z', '2026-01-05T00:00:00Z'],
    ['leap days', '0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['@hourly', '@hourly', '2026-01-01T00:30:00Z', '2026-01-01T01:00:00Z'],
    ['@daily', '@daily', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['@weekly', '@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['@monthly', '@monthly', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@yearly', '@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['@every drops the fraction of the second', '@every 1h30m', '2026-01-01T00:00:00.400Z', '2026-01-01T01:30:00Z'],
    ['@every is at least a second', '@every 10ms', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'],
    ['a zone prefix', 'TZ=Asia/Tokyo 0 9 * * *', '2026-01-01T00:30:00Z', '2026-01-02T00:00:00Z'],
  ])('%s', (_, spec, after, expected) => {
    expect(next(spec, after)).toBe(expected);
  });

  test.each([
    ['winter time', '0 9 * * *', '2026-01-01T00:00:00Z', '2026-01-01T14:00:00Z'],
    ['summer time', '0 9 * * *', '2026-07-01T00:00:00Z', '2026-07-01T13:00:00Z'],
    ['a time in the gap is skipped that day', '30 2 * * *', '2026-03-08T05:00:00Z', '2026-03-09T06:30:00Z'],
    ['a repeated hour comes first before', '30 1 * * *', '2026-11-01T04:00:00Z', '2026-11-01T05:30:00Z'],
    ['and once more after clocks are set back', '30 1 * * *', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'],
  ])('in New York: %s', (_, spec, after, expected) => {
    expect(next(spec, after, 'America/New_York')).toBe(expected);
  });

  test('a day that never comes has none', () => {
    expect(next('0 0 30 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
  });
});

describe('schedules that are refused', () => {
  test.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ['TZ=Mars/Base 0 0 * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
  ])('%s', (spec, message) => {
    expect(() => parseCron(spec)).toThrow(new CronSyntaxError(message));
  });
});
