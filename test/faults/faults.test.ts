import { expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';

/** Enough for every kind of fault, with and without a standby, in a cloud of either kind. */
const SEEDS = 8;
const LIMIT_MS = 120_000;

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  'a cluster in trouble keeps its promises, and comes to rest (seed %d)',
  async (seed) => {
    const { violations, launches } = await runSeed(seed);
    expect(violations).toEqual([]);
    expect(launches).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
