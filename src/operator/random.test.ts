import { describe, expect, it } from 'vitest';
import { CryptoRandom, SeededRandom } from './random.ts';

describe.each([
  ['SeededRandom', () => new SeededRandom(42)],
  ['CryptoRandom', () => new CryptoRandom()],
])('%s', (_, create) => {
  it('spreads numbers evenly over [0, 1)', () => {
    const random = create();
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const bucket = Math.floor(random.next() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(buckets).toHaveLength(10);
    for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });

  it('makes version 4 UUIDs, none of them twice', () => {
    const random = create();
    const ids = Array.from({ length: 1000 }, () => random.uuid());
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('makes suffixes of the alphabet of generated names', () => {
    expect(create().suffix(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});

describe('a seed', () => {
  it('decides the sequence', () => {
    const sequence = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 5 }, () => random.next());
    };
    expect(sequence(1)).toEqual(sequence(1));
    expect(sequence(1)).not.toEqual(sequence(2));
  });
});
