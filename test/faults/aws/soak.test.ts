import { expect, test } from 'vitest';
import { soak } from './soak.ts';

/** One without a standby and one with, both with all that goes wrong; hours of it: run.ts. */
const SEEDS = [92, 77];
const MINUTES = 8;
const PAUSE_MS = 30_000;
const LIMIT_MS = 120_000;

test.each(SEEDS)(
  'a cluster on EC2 in trouble keeps its promises, comes to rest, and leaves nothing behind (seed %d)',
  async (seed) => {
    const { violations, launches } = await soak({ seed, minutes: MINUTES, pauseMs: PAUSE_MS });
    expect(violations).toEqual([]);
    expect(launches).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
