import { expect, it } from 'vitest';
import { ageOf, formatAge } from './age.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

it.each([
  [0, '0s'],
  [119 * S, '119s'],
  [2 * M, '2m'],
  [3 * M + 12 * S, '3m12s'],
  [10 * M + 5 * S, '10m'],
  [179 * M, '179m'],
  [3 * H + 5 * M, '3h5m'],
  [8 * H + 59 * M, '8h'],
  [47 * H, '47h'],
  [2 * D + 3 * H, '2d3h'],
  [8 * D + 3 * H, '8d'],
  [2 * 365 * D + 10 * D, '2y10d'],
  [9 * 365 * D, '9y'],
])('%i ms print as kubectl prints them: %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});

it('tells when there is no time to take an age from', () => {
  expect(ageOf(undefined, 0)).toBe('<unknown>');
  expect(ageOf('yesterday', 0)).toBe('<unknown>');
  expect(ageOf('1970-01-01T00:00:00Z', 90 * S)).toBe('90s');
});
