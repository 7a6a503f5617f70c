import { describe, expect, it } from 'vitest';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { nodePool, runningNode, unschedulablePod, world } from '../../test/factories/index.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { World } from '../scheduling/types.ts';
import { Analysis } from './analysis.ts';
import { explainNodePool } from './node-pool-explanation.ts';

const rules = { wellKnownLabels: new Set(KWOK_WELL_KNOWN_LABELS), restrictedLabelDomains: new Set<string>() };

function explain(pool: NodePool, parts: Partial<World> = {}) {
  const analysis = new Analysis({ ...world({ pools: [pool] }), ...parts }, rules);
  const own = analysis.world.pools.find(({ nodePool: { metadata } }) => metadata.name === pool.metadata.name);
  if (!own) throw new Error('no pool');
  return explainNodePool({ pool: own, analysis, objects: [], rules, events: [] });
}

const requiring = (...requirements: readonly (readonly [key: string, ...values: string[]])[]) =>
  nodePool({
    spec: {
      template: {
        spec: { requirements: requirements.map(([key, ...values]) => ({ key, operator: 'In' as const, values })) },
      },
    },
  });

describe('a pool that is Ready', () => {
  it('and whose requirements contradict each other can buy nothing, and says why', () => {
    const { conditions, offerings, problems } = explain(
      requiring(['kubernetes.io/arch', 'amd64'], ['kubernetes.io/arch', 'arm64']),
    );
    expect(conditions).toMatchObject([{ type: 'Ready', status: 'True', healthy: false }]);
    expect(offerings.types).toBe(0);
    expect(problems).toEqual([
      'it can buy nothing: its requirements contradict each other: kubernetes.io/arch In [amd64] and kubernetes.io/arch In [arm64] have no value in common',
    ]);
  });

  it('and whose requirements no instance type meets names the one that leaves none', () => {
    const { offerings, problems } = explain(
      requiring(['kubernetes.io/os', 'linux'], ['node.kubernetes.io/instance-type', 'huge']),
    );
    expect(offerings.funnel.map(({ left }) => left)).toContain(0);
    expect(problems).toEqual([
      'it can buy nothing: no instance type is left by node.kubernetes.io/instance-type In [huge]',
    ]);
  });

  it('and asks for a capacity type and zone that no type is sold in says so', () => {
    expect(explain(requiring(['topology.kubernetes.io/zone', 'moon'])).problems).toHaveLength(1);
  });

  it('and static does nothing while the gate is off', () => {
    expect(explain(nodePool({ spec: { replicas: 2 } })).problems).toEqual([
      'it has replicas, and the feature gate StaticCapacity is off: it does nothing',
    ]);
  });

  it('lists what it can buy, cheapest first', () => {
    const { offerings, problems } = explain(requiring(['kubernetes.io/arch', 'amd64'], ['kubernetes.io/os', 'linux']));
    const prices = offerings.cheapest.map(({ price }) => price);
    expect(problems).toEqual([]);
    expect(prices).toHaveLength(5);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  });
});

describe('what budgets allow', () => {
  const pool = (budgets: NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>) =>
    nodePool({ metadata: { name: 'p' }, spec: { disruption: { budgets } } });
  const budgetsOf = (own: NodePool) => {
    const nodes = Array.from({ length: 11 }, () => runningNode({ pool: own }));
    return explain(own, { nodes: [...nodes, runningNode({ pool: own, state: { markedForDeletion: true } })] }).budgets;
  };

  it('is worked out, less what is leaving already', () => {
    expect(budgetsOf(pool([{ nodes: '20%' }, { nodes: '5' }]))[0]).toEqual({
      reason: 'Underutilized',
      nodes: 12,
      disrupting: 1,
      allowed: 3,
      remaining: 2,
      because: '20% of 12 nodes, rounded up, is 3, the strictest of 2, less 1 down or leaving already',
    });
  });

  it('changes when a window opens or closes', () => {
    // At NOW it is noon of a Wednesday.
    const [underutilized, empty] = budgetsOf(
      pool([{ nodes: '4' }, { nodes: '0', reasons: ['Underutilized'], schedule: '0 9 * * mon-fri', duration: '8h' }]),
    );
    expect(underutilized).toMatchObject({ allowed: 0, next: { at: '2026-03-04T17:00:00Z', allowed: 4 } });
    expect(empty).toMatchObject({ allowed: 4 });
    expect(empty).not.toHaveProperty('next');
  });

  it('is nothing when one of them can not be read', () => {
    const [outlook] = budgetsOf(pool([{ nodes: '5' }, { nodes: '1', schedule: '99 * * * *', duration: '1h' }]));
    expect(outlook).toMatchObject({ remaining: 0, because: "one of its budgets can't be read" });
  });

  it('has no limit without a budget for the reason', () => {
    expect(budgetsOf(pool([{ nodes: '1', reasons: ['Empty'] }]))[0]).toMatchObject({ allowed: null, remaining: null });
  });
});

it('pools of equal weight take turns by name backwards', () => {
  const [a, b] = ['a', 'b'].map((name) => nodePool({ metadata: { name } })) as [NodePool, NodePool];
  const { pools } = world({ pools: [a, b] });
  expect(explain(a, { pools }).order).toEqual({ weight: 0, position: 2, of: 2, tiedWith: ['b', 'a'] });
});

it('pods that a pool would take, and those it comes nearest to taking, wait on it', () => {
  const pods = [
    unschedulablePod({ metadata: { name: 'fits' } }),
    unschedulablePod({
      metadata: { name: 'too-large' },
      spec: { containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '9000' } } }] },
    }),
  ];
  expect(explain(nodePool(), { pods }).waiting).toEqual({
    newNode: ['default/fits'],
    nearestMiss: ['default/too-large'],
  });
});

it('the claim that expires first is named, and how many do within a day', () => {
  const pool = nodePool({ metadata: { name: 'p' } });
  // They were made 1500 hours before NOW.
  const nodes = ['1500h', '1600h'].map((expireAfter, i) =>
    runningNode({
      pool: { ...pool, spec: { ...pool.spec, template: { spec: { ...pool.spec.template.spec, expireAfter } } } },
      name: `n${i}`,
    }),
  );
  expect(explain(pool, { nodes }).expiry).toMatchObject({
    withinADay: 1,
    next: { nodeClaim: 'n0', at: '2026-03-04T12:00:00Z' },
  });
});
