import { describe, expect, test } from 'vitest';
import { solve } from '../../src/scheduling/index.ts';
import { type Level, randomWorld } from '../parity/random-world.ts';
import { plainSolve } from '../plain/plain-solve.ts';
import { decide, decided } from '../plain/random-decisions.ts';

const WORLDS = 50;

describe('the packer and the plain one that shares no code with it', () => {
  test.each<Level>(['simple', 'mixed', 'all'])(
    'decide the same in random worlds (%s)',
    { timeout: 60_000 },
    (level) => {
      for (let seed = 1; seed <= WORLDS; seed++) {
        const world = randomWorld(seed, level);
        expect(decided(decide(solve, world)), `seed ${seed}`).toEqual(decided(decide(plainSolve, world)));
      }
    },
  );
});
