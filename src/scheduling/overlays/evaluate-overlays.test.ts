import { describe, expect, test } from 'vitest';
import { nodeOverlay, nodePool } from '../../../test/factories/index.ts';
import { instanceType } from '../../../test/scheduling/schedule.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { PoolAndTypes } from '../types.ts';
import { evaluateOverlays } from './evaluate-overlays.ts';

const RULES = { wellKnownLabels: new Set<string>(), restrictedLabelDomains: new Set<string>() };
const GPU = 'example.com/gpu';
const TYPES = [
  instanceType('small', { cpu: '2' }, [
    { capacityType: 'spot', price: 1 },
    { capacityType: 'on-demand', price: 2 },
  ]),
  instanceType('large', { cpu: '8' }, [{ capacityType: 'on-demand', price: 8 }]),
];
const POOLS: readonly PoolAndTypes[] = ['a', 'b'].map((name) => ({
  nodePool: nodePool({ metadata: { name }, spec: { template: { metadata: { labels: { team: name } } } } }),
  instanceTypes: TYPES,
}));
const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In', values }) as const;
const SPOT = isIn('karpenter.sh/capacity-type', 'spot');
const SMALL = isIn('node.kubernetes.io/instance-type', 'small');
const spec = (changes: Partial<NodeOverlay['spec']>) => changes;

/** Prices of small (spot, on demand) and large, in a pool under these overlays, named `1`, `2`, … */
function prices(pool: string, ...specs: readonly Partial<NodeOverlay['spec']>[]): readonly number[] {
  const { updates } = evaluated(specs);
  return updates.apply(pool, TYPES).flatMap((type) => type.offerings.map((offering) => offering.price));
}

const evaluated = (specs: readonly Partial<NodeOverlay['spec']>[]) =>
  evaluateOverlays(
    specs.map((s, i) => nodeOverlay(s, String(i + 1))),
    POOLS,
    RULES,
  );
const refused = (...specs: readonly Partial<NodeOverlay['spec']>[]) =>
  [...evaluated(specs).refused].map(([name, { reason }]) => `${name} ${reason}`);

describe('an overlay', () => {
  test.each<[string, NodeOverlay['spec']['requirements'], readonly number[], readonly number[]]>([
    ['without requirements is for everything', [], [9, 9, 9], [9, 9, 9]],
    ['selects types', [SMALL], [9, 9, 8], [9, 9, 8]],
    ['selects offerings', [SPOT], [9, 2, 8], [9, 2, 8]],
    ['selects both', [SMALL, isIn('karpenter.sh/capacity-type', 'on-demand')], [1, 9, 8], [1, 9, 8]],
    ['selects pools', [isIn('karpenter.sh/nodepool', 'a')], [9, 9, 9], [1, 2, 8]],
    ['selects labels of the template', [isIn('team', 'b')], [1, 2, 8], [9, 9, 9]],
    ['is for nothing when nobody knows the label', [isIn('colour', 'red')], [1, 2, 8], [1, 2, 8]],
    ['is for everything that lacks a label', [{ key: 'colour', operator: 'DoesNotExist' }], [9, 9, 9], [9, 9, 9]],
  ])('%s', (_, requirements, a, b) => {
    const overlay = spec({ requirements, price: '9' });
    expect([prices('a', overlay), prices('b', overlay)]).toEqual([a, b]);
  });

  test('of greater weight wins', () => {
    expect(prices('a', { price: '5', weight: 1 }, { price: '6', weight: 2 })).toEqual([6, 6, 6]);
    expect(refused({ price: '5', weight: 1 }, { price: '6', weight: 2 })).toEqual([]);
  });

  test('of greater weight leaves the rest to the others', () => {
    expect(prices('a', { price: '5', weight: 1 }, { requirements: [SPOT], price: '6', weight: 2 })).toEqual([6, 5, 5]);
  });

  test('gives every type that it is for its resources', () => {
    const { updates } = evaluated([{ requirements: [SMALL, SPOT], capacity: { [GPU]: '2' } }]);
    const [small, large] = updates.apply('a', TYPES);
    expect([small?.capacity[GPU], small?.capacity.cpu, large?.capacity[GPU]]).toEqual([2000, 2000, undefined]);
    expect([small?.capacityOverlaid, large?.capacityOverlaid]).toEqual([true, undefined]);
  });

  test('gives each resource once', () => {
    const { updates } = evaluated([
      { capacity: { [GPU]: '1', 'example.com/fpga': '1' }, weight: 1 },
      { capacity: { [GPU]: '4' }, weight: 9 },
    ]);
    const { capacity } = updates.apply('a', TYPES)[0] ?? {};
    expect(capacity).toMatchObject({ [GPU]: 4000, 'example.com/fpga': 1000 });
  });
});

describe('of two overlays of the same weight', () => {
  test('that set one price the later name is in force, and nothing of the other', () => {
    const both = [
      { price: '5', capacity: { [GPU]: '1' } },
      { requirements: [SPOT], price: '6' },
    ] as const;
    expect(refused(...both)).toEqual(['1 Conflict']);
    expect(prices('a', ...both)).toEqual([6, 2, 8]);
    expect(evaluated(both).updates.apply('a', TYPES)[0]?.capacity[GPU]).toBeUndefined();
  });

  test.each<[string, readonly Partial<NodeOverlay['spec']>[], readonly string[]]>([
    [
      'different prices',
      [
        { requirements: [SPOT], price: '5' },
        { requirements: [isIn('team', 'none')], price: '6' },
      ],
      [],
    ],
    ['a price and a resource', [{ price: '5' }, { capacity: { [GPU]: '1' } }], []],
    ['different resources', [{ capacity: { x: '1' } }, { capacity: { y: '1' } }], []],
    ['one resource', [{ capacity: { x: '1' } }, { capacity: { x: '1' } }], ['1 Conflict']],
    ['one price in one pool', [{ price: '1' }, { requirements: [isIn('team', 'b')], price: '1' }], ['1 Conflict']],
    ['no weight and no weight', [{ price: '1', weight: 3 }, { price: '1' }, { price: '1' }], ['2 Conflict']],
    [
      'a resource that a third does not share',
      [{ capacity: { x: '1' } }, { capacity: { y: '1' } }, { capacity: { x: '1' } }],
      ['1 Conflict'],
    ],
  ])('that change %s, these are refused', (_, specs, expected) => {
    expect(refused(...specs)).toEqual(expected);
  });
});

describe('an invalid overlay', () => {
  test.each<[Partial<NodeOverlay['spec']>, string]>([
    [{ requirements: [isIn('kubernetes.io/hostname', 'n')] }, 'using label kubernetes.io/hostname is not allowed'],
    [{ requirements: [{ key: 'a', operator: 'NotIn', values: [] }] }, 'key a with operator NotIn must have a value'],
    [{ capacity: { memory: '1Gi' } }, 'invalid capacity: memory in resource, restricted'],
  ])('%j is refused with the reason', (wrong, message) => {
    const { refused: refusals } = evaluated([{ price: '5', ...wrong }]);
    expect(refusals.get('1')).toMatchObject({ reason: 'RuntimeValidation', message: expect.stringContaining(message) });
  });

  test('changes nothing and is in nobody’s way', () => {
    expect(prices('a', { price: '5' }, { price: '6', capacity: { cpu: '1' } })).toEqual([5, 5, 5]);
  });
});

test('what no overlay touches stays the same object', () => {
  const { updates } = evaluated([{ requirements: [isIn('karpenter.sh/nodepool', 'a'), SMALL], price: '5' }]);
  const types = updates.apply('a', TYPES);
  expect(updates.apply('b', TYPES)).toBe(TYPES);
  expect(types[0]).not.toBe(TYPES[0]);
  expect(types[1]).toBe(TYPES[1]);
});

test('a price leaves alone what else an offering says', () => {
  const [type] = TYPES;
  const offerings = type?.offerings.map((o) => ({ ...o, capacityOverride: { cpu: 1000 } })) ?? [];
  const { updates } = evaluated([{ price: '5' }]);
  const [changed] = updates.apply('a', type ? [{ ...type, offerings }] : []);
  expect(changed?.offerings.map((o) => [o.price, o.priceOverlaid, o.capacityOverride])).toEqual([
    [5, true, { cpu: 1000 }],
    [5, true, { cpu: 1000 }],
  ]);
});
