import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

describe('the edit distance', () => {
  it.each([
    ['pod', 'pod', 0],
    ['pdo', 'pod', 1],
    ['pods', 'pod', 1],
    ['', 'pod', 3],
    ['kitten', 'sitting', 3],
  ])('of %s and %s is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('the nearest names', () => {
  it.each([
    ['a swapped pair', 'staus', ['status', 'plan', 'up'], ['status']],
    ['an underscore for a dash', 'on_demand', ['spot', 'on-demand'], ['on-demand']],
    ['a beginning', 'web', ['default/web-1', 'web-frontend', 'db'], ['web-frontend', 'default/web-1']],
    ['another case', 'NODEPOOL', ['nodepool', 'node'], ['nodepool']],
    ['nothing alike', 'xyz', ['pod', 'node'], []],
  ])('are found for %s', (_, word, candidates, expected) => {
    expect(nearest(word, candidates)).toEqual(expected);
  });

  it('are the closest first, and only a few', () => {
    expect(nearest('node-1', ['node-9', 'node-12', 'node-1a', 'node-3', 'other'])).toHaveLength(3);
  });
});
