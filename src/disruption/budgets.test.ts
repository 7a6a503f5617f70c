import { describe, expect, it } from 'vitest';
import { node, nodeClaim, nodePool } from '../../test/factories/index.ts';
import { LABEL_INITIALIZED, LABEL_NODEPOOL, LABEL_REGISTERED } from '../apis/labels.ts';
import type { Budget, NodePool } from '../apis/node-pool.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import { allowedDisruptions, isBudgetActive, poolBudgets, UNLIMITED } from './budgets.ts';

const NOON = Date.parse('2026-03-04T12:00:00Z');

function poolWith(...budgets: Budget[]): NodePool {
  return nodePool({ spec: { disruption: { budgets } } });
}

describe('a budget with a schedule', () => {
  const at = (time: string): boolean | undefined =>
    isBudgetActive({ nodes: '0', schedule: '0 9 * * *', duration: '8h' }, Date.parse(time));

  it('7.5.4: is active from its hit until its duration has passed, in UTC', () => {
    expect(at('2026-03-04T08:59:59Z')).toBe(false);
    expect(at('2026-03-04T09:00:00Z')).toBe(true);
    expect(at('2026-03-04T16:59:59Z')).toBe(true);
    expect(at('2026-03-04T17:00:00Z')).toBe(false);
  });

  it('7.5.4: stays active while hits come more often than the duration ends', () => {
    expect(isBudgetActive({ nodes: '0', schedule: '@hourly', duration: '2h' }, NOON + 1)).toBe(true);
  });

  it('7.5.4: is always active when its schedule never comes, so that nothing is disrupted by mistake', () => {
    expect(isBudgetActive({ nodes: '0', schedule: '0 0 30 2 *', duration: '1m' }, NOON)).toBe(true);
  });

  it('7.5.3: is neither active nor inactive when its schedule or duration can not be read', () => {
    expect(isBudgetActive({ nodes: '0', schedule: '0 0 * * sat-sun', duration: '1h' }, NOON)).toBeUndefined();
    expect(isBudgetActive({ nodes: '0', schedule: '@daily', duration: 'long' }, NOON)).toBeUndefined();
  });
});

describe('allowedDisruptions', () => {
  it.each([
    ['10%', 10, 1],
    ['10%', 11, 2],
    ['10%', 0, 0],
    ['0%', 50, 0],
    ['100%', 7, 7],
    ['5', 3, 5],
    ['0', 3, 0],
  ])('of budget %s and %i nodes is %i, percentages rounded up', (nodes, total, allowed) => {
    expect(allowedDisruptions(poolWith({ nodes }), 'Empty', total, NOON)).toBe(allowed);
  });

  it('7.5.2: is the smallest of the budgets that apply to the reason', () => {
    const pool = poolWith(
      { nodes: '2' },
      { nodes: '1', reasons: ['Empty', 'Drifted'], schedule: '0 6 * * *', duration: '20h' },
      { nodes: '0', reasons: ['Underutilized'], schedule: '0 6 * * *', duration: '20h' },
    );
    const inside = (['Empty', 'Drifted', 'Underutilized'] as const).map((r) => allowedDisruptions(pool, r, 10, NOON));
    expect(inside).toEqual([1, 1, 0]);
    const outside = Date.parse('2026-03-04T03:00:00Z');
    expect(allowedDisruptions(pool, 'Underutilized', 10, outside)).toBe(2);
  });

  it('7.5.2: is unlimited without budgets, and 10% when the pool says nothing', () => {
    expect(allowedDisruptions(poolWith(), 'Empty', 10, NOON)).toBe(UNLIMITED);
    expect(allowedDisruptions(nodePool({ spec: { disruption: undefined } }), 'Empty', 20, NOON)).toBe(2);
  });

  it('7.5.2: lets an empty list of reasons apply to none', () => {
    expect(allowedDisruptions(poolWith({ nodes: '0', reasons: [] }), 'Empty', 10, NOON)).toBe(UNLIMITED);
  });

  it('7.5.3: closes the pool for every reason when any budget can not be read', () => {
    const pool = poolWith(
      { nodes: '5' },
      { nodes: '5', reasons: ['Drifted'], schedule: '0 0 * * sat-sun', duration: '1h' },
    );
    expect(allowedDisruptions(pool, 'Empty', 10, NOON)).toBe(0);
  });
});

describe('poolBudgets', () => {
  const pool = poolWith({ nodes: '50%' });

  function member(name: string, change: { initialized?: boolean; ready?: boolean; marked?: boolean } = {}): StateNode {
    const { initialized = true, ready = true, marked = false } = change;
    const labels = {
      [LABEL_NODEPOOL]: pool.metadata.name,
      [LABEL_REGISTERED]: 'true',
      ...(initialized ? { [LABEL_INITIALIZED]: 'true' } : {}),
    };
    return {
      node: node({
        metadata: { name, labels },
        status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
      }),
      nodeClaim: nodeClaim({ metadata: { name, labels } }),
      markedForDeletion: marked,
    };
  }

  it('7.5.1: counts initialized nodes, and takes off those that are not ready or on their way out', () => {
    const nodes = [
      member('a'),
      member('b'),
      member('c', { ready: false }),
      member('d', { marked: true }),
      member('e', { initialized: false }),
      member('f'),
    ];
    const world = { pools: [{ nodePool: pool, instanceTypes: [] }], nodes, now: NOON } as unknown as World;
    expect(poolBudgets(world, 'Empty').get(pool.metadata.name)).toEqual({
      nodes: 5,
      disrupting: 2,
      allowed: 3,
      remaining: 1,
    });
  });
});
