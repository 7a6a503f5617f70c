import { describe, expect, test } from 'vitest';
import { formatIndexes, parseIndexes } from './indexes.ts';

describe('completed indexes', () => {
  test.each([
    [[], ''],
    [[0], '0'],
    [[1, 0], '0,1'],
    [[0, 1, 2], '0-2'],
    [[7, 1, 3, 4, 5, 9], '1,3-5,7,9'],
  ])('%j are written %j', (indexes, text) => {
    expect(formatIndexes(indexes)).toBe(text);
    expect([...parseIndexes(text, 100)]).toEqual([...indexes].sort((a, b) => a - b));
  });

  test('beyond the completions, as after a scale-down, do not count', () => {
    expect([...parseIndexes('0-5,8', 4)]).toEqual([0, 1, 2, 3]);
  });
});
