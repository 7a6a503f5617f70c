import { expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';

/** Enough for most kinds of faults, with and without a standby, in a cloud of either kind; more: run.ts. */
const SEEDS = 3;
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
