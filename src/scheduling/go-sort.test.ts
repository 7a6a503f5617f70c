import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { goSort, goSortMoved } from './go-sort.ts';

interface Item {
  readonly key: number;
  readonly name: number;
}

const less = (a: Item, b: Item): boolean => a.key < b.key;
const items = (keys: readonly number[]): Item[] => keys.map((key, name) => ({ key, name }));
const names = (list: readonly Item[]): number[] => list.map(({ name }) => name);

describe('goSort', () => {
  test('sorts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 400 }), (keys) => {
        const list = items(keys);
        goSort(list, less);
        expect(list.map(({ key }) => key)).toEqual(keys.toSorted((a, b) => a - b));
        expect(names(list).toSorted((a, b) => a - b)).toEqual(keys.map((_, i) => i));
      }),
    );
  });

  // What `sort.Slice` of Go 1.26 makes of the keys (i * 7) % 5.
  test.each([
    [12, [0, 5, 10, 3, 8, 1, 6, 11, 4, 9, 2, 7]],
    [20, [10, 5, 15, 0, 13, 3, 18, 8, 6, 16, 1, 11, 9, 14, 4, 19, 12, 2, 17, 7]],
    [
      60,
      [
        40, 25, 55, 30, 20, 5, 0, 10, 15, 45, 35, 50, 58, 13, 38, 8, 48, 33, 18, 43, 53, 3, 28, 23, 31, 36, 26, 1, 56,
        51, 21, 6, 46, 11, 41, 16, 49, 24, 14, 39, 59, 34, 54, 4, 44, 9, 29, 19, 47, 7, 37, 32, 52, 17, 42, 2, 22, 57,
        27, 12,
      ],
    ],
  ])('leaves ties among %i items where Go leaves them', (length, expected) => {
    const list = items(Array.from({ length }, (_, i) => (i * 7) % 5));
    goSort(list, less);
    expect(names(list)).toEqual(expected);
  });

  test('puts one item that has moved where a full sort puts it', () => {
    const lists = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(lists, fc.nat(), fc.integer({ min: -3, max: 3 }), (keys, place, change) => {
        const sorted = keys.toSorted((a, b) => a - b);
        const position = place % sorted.length;
        sorted[position] = (sorted[position] ?? 0) + change;
        const full = items(sorted);
        goSort(full, less);
        const order = Int32Array.from(sorted.keys());
        goSortMoved(order, position, (a, b) => (sorted[a] ?? 0) < (sorted[b] ?? 0));
        expect([...order]).toEqual(names(full));
      }),
      { numRuns: 500 },
    );
  });
});
