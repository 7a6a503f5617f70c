import { expect, test } from 'vitest';
import { heapOptions } from './memory-limit.ts';

test('10.1: with --memory-limit the heap is at most 90 % of it', () => {
  expect(heapOptions(2 ** 30, ['--x'])).toEqual(['--x', '--max-old-space-size=921']);
  expect(heapOptions(2 ** 30, ['--max-old-space-size=100', '--x'])).toEqual(['--x', '--max-old-space-size=921']);
});

test('10.1: nothing is changed without a limit, or when the heap has it already', () => {
  expect(heapOptions(-1, ['--x'])).toBeUndefined();
  expect(heapOptions(0, [])).toBeUndefined();
  expect(heapOptions(2 ** 30, ['--max-old-space-size=921'])).toBeUndefined();
});
