import { describe, expect, it } from 'vitest';
import { parseDuration, parseNillableDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['720h', 2_592_000_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['250ms', 250],
    ['-2m', -120_000],
    ['0', 0],
    ['0s', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 'h', '5 m', '1d', 'Never', '5m-3s', '--1s'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('parseNillableDuration', () => {
  it('takes the default for an absent field and nothing for Never', () => {
    expect(parseNillableDuration(undefined, '0s')).toBe(0);
    expect(parseNillableDuration('Never', '0s')).toBeUndefined();
    expect(parseNillableDuration('1m', '0s')).toBe(60_000);
  });
});
