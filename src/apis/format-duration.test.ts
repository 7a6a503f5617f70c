import { expect, test } from 'vitest';
import { formatDuration } from './format-duration.ts';

test.each([
  [0, '0s'],
  [1500, '1.5s'],
  [90_000, '1m30s'],
  [3_600_000, '1h0m0s'],
  [2_592_000_000, '720h0m0s'],
  [20, '20ms'],
  [0.25, '250µs'],
  [-61_000, '-1m1s'],
])('%d ms prints as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
