import { expect, it } from 'vitest';
import { NOW, nodePool } from '../../test/factories/index.ts';
import type { Budget } from '../apis/node-pool.ts';
import { forecastRoll } from './roll-forecast.ts';

const MINUTE = 60_000;

// At NOW it is noon of a Wednesday.
const roll = (budgets: readonly Budget[], nodes: number, disrupting = 0) =>
  forecastRoll({
    nodePool: nodePool({ spec: { disruption: { budgets } } }),
    nodes,
    total: 10,
    disrupting,
    now: NOW,
    roundMs: 20 * MINUTE,
  });

it('a roll goes on at another pace when a window closes', () => {
  const { steps, rounds, until, seconds } = roll(
    [{ nodes: '4' }, { nodes: '1', schedule: '0 9 * * *', duration: '4h' }],
    6,
  );
  expect(steps).toEqual([
    { from: '2026-03-04T12:00:00Z', to: '2026-03-04T13:00:00Z', atOnce: 1, nodes: 3, rounds: 3 },
    { from: '2026-03-04T13:00:00Z', to: '2026-03-04T13:20:00Z', atOnce: 4, nodes: 3, rounds: 1 },
  ]);
  expect({ rounds, until, seconds }).toEqual({ rounds: 4, until: '2026-03-04T13:20:00Z', seconds: 4800 });
});

it('nodes that are down already leave less room', () => {
  expect(roll([{ nodes: '30%' }], 4, 1)).toMatchObject({ rounds: 2, steps: [{ atOnce: 2, nodes: 4 }] });
});

it('without a budget all nodes go at once', () => {
  expect(roll([], 10)).toMatchObject({ rounds: 1, steps: [{ atOnce: null, nodes: 10 }] });
});

it('a budget of nothing has no end, and windows that overlap are one', () => {
  expect(roll([{ nodes: '0' }], 2)).toMatchObject({ steps: [], until: null, seconds: null });
  const always = [{ nodes: '0', schedule: '* * * * *', duration: '1h' }];
  expect(roll(always, 2)).toMatchObject({ until: null });
  const overlapping = [{ nodes: '0', schedule: '0 10-12 * * *', duration: '2h' }];
  expect(roll(overlapping, 1).steps[0]?.from).toBe('2026-03-04T14:00:00Z');
});
