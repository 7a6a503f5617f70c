/** Which types and offerings a launch goes on with (aws-provider.md 17.5 and 17.6). */
import { describe, expect, test } from 'vitest';
import { capacityTypes, isIn } from '../../../../test/aws/requirements.ts';
import { causeOf, InsufficientCapacityError } from '../../../cloudprovider/errors.ts';
import { SILENT } from '../../../logging/logger.ts';
import type { InstanceType, Offering } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { Resources } from '../../../scheduling/resources.ts';
import { capacityTypeFor, tenancyFor } from './capacity-type.ts';
import { filterInstanceTypes } from './filter-instance-types.ts';

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const ZONE = 'topology.kubernetes.io/zone';
const RESERVATION = 'karpenter.k8s.aws/capacity-reservation';

type Items = Parameters<typeof Requirements.fromItems>[0];

function offering(capacityType: string, price: number, zone = 'a', more: Partial<Offering> = {}): Offering {
  const requirements = Requirements.fromLabels({ [CAPACITY_TYPE]: capacityType, [ZONE]: zone });
  return { requirements, price, available: true, ...more };
}
const onDemand = (price: number, zone?: string, more?: Partial<Offering>) => offering('on-demand', price, zone, more);
const spot = (price: number, zone?: string, more?: Partial<Offering>) => offering('spot', price, zone, more);

/** @param kind `block`, or of an on-demand reservation whether it may be interrupted. */
function reserved(
  id: string,
  price: number,
  kind: 'plain' | 'block' | 'interruptible' = 'plain',
  more: Partial<Offering> & { readonly zone?: string } = {},
): Offering {
  const requirements = Requirements.fromLabels({
    [CAPACITY_TYPE]: 'reserved',
    [ZONE]: more.zone ?? 'a',
    [`${RESERVATION}-id`]: id,
    [`${RESERVATION}-type`]: kind === 'block' ? 'capacity-block' : 'default',
    [`${RESERVATION}-interruptible`]: String(kind === 'interruptible'),
  });
  return { requirements, price, available: true, reservationCapacity: 1, ...more };
}

function type(name: string, offerings: readonly Offering[], capacity: Resources = {}): InstanceType {
  const labels = {
    'node.kubernetes.io/instance-type': name,
    'kubernetes.io/arch': 'amd64',
    'karpenter.k8s.aws/instance-size': name.split('.')[1] ?? '',
  };
  const requirements = Requirements.fromLabels(labels);
  return { name, requirements, offerings, capacity: { cpu: 4000, pods: 10_000, ...capacity }, overhead: {} };
}

interface Asked {
  readonly requirements?: Items;
  readonly requests?: Resources;
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
}

function kept(types: readonly InstanceType[], { requirements = [], requests = {}, minValuesPolicy }: Asked = {}) {
  const demand = { requirements: Requirements.fromItems(requirements), requests };
  return filterInstanceTypes(types, demand, { minValuesPolicy: minValuesPolicy ?? 'Strict', log: SILENT });
}
const names = (types: readonly InstanceType[], asked?: Asked) => kept(types, asked).map(({ name }) => name);

/** Types with the capacity type, or the id of the reservation, of each of their offerings. */
const shown = (types: readonly InstanceType[], asked?: Asked) =>
  kept(types, asked).map(({ name, offerings }) => [
    name,
    ...offerings.map(({ requirements: own, price }) =>
      own.has(`${RESERVATION}-id`) ? own.get(`${RESERVATION}-id`).any() : `${own.get(CAPACITY_TYPE).any()} ${price}`,
    ),
  ]);
const failure = (types: readonly InstanceType[], asked?: Asked): string | undefined => {
  try {
    kept(types, asked);
    return undefined;
  } catch (error) {
    return causeOf(error, InsufficientCapacityError)?.message;
  }
};
const NOTHING_LEFT = 'insufficient capacity, all requested instance types were unavailable during launch';

describe('17.5: types are left out', () => {
  test('when the claim does not allow them', () => {
    const types = [type('m5.large', [onDemand(1)]), type('c5.large', [onDemand(1)])];
    expect(names(types, { requirements: [isIn('node.kubernetes.io/instance-type', 'c5.large')] })).toEqual([
      'c5.large',
    ]);
    expect(failure(types, { requirements: [isIn('kubernetes.io/arch', 'arm64')] })).toBe(NOTHING_LEFT);
  });

  test('when nothing that the claim allows is on sale', () => {
    const types = [
      type('m5.large', [onDemand(1), spot(0.5, 'a', { available: false })]),
      type('c5.large', [spot(0.5, 'b')]),
      type('r5.large', [spot(0.5, 'c')]),
    ];
    const requirements = [capacityTypes('spot'), isIn(ZONE, 'a', 'b')];
    expect(names(types, { requirements })).toEqual(['c5.large']);
  });

  test('when what is requested does not fit, unless it fits an offering with more', () => {
    const more = { capacityOverride: { 'example.com/device': 1000 } };
    const types = [
      type('plain.large', [onDemand(1)]),
      type('device.large', [onDemand(1), onDemand(2, 'b', more)]),
      type('gone.large', [onDemand(1), onDemand(2, 'b', { ...more, available: false })]),
      type('elsewhere.large', [onDemand(1), onDemand(2, 'c', more)]),
    ];
    const requests = { 'example.com/device': 1000 };
    expect(names(types, { requests, requirements: [isIn(ZONE, 'a', 'b')] })).toEqual(['device.large']);
    expect(failure(types, { requests: { cpu: 5000 } })).toBe(NOTHING_LEFT);
  });
});

describe('17.5: of reservations', () => {
  test('one kind is taken, that with the cheapest offering, and its types have nothing else', () => {
    const types = [
      type('m5.large', [onDemand(1), spot(0.5), reserved('cr-1', 0.2)]),
      type('c5.large', [onDemand(1), reserved('cr-2', 0.1, 'interruptible'), reserved('cr-3', 0.3)]),
      type('r5.large', [onDemand(1)]),
    ];
    expect(shown(types)).toEqual([['c5.large', 'cr-2']]);
    // Not if the claim can't be reserved.
    expect(names(types, { requirements: [capacityTypes('on-demand')] })).toEqual(['m5.large', 'c5.large', 'r5.large']);
  });

  test.each<[string[], ('plain' | 'block' | 'interruptible')[]]>([
    [['plain'], ['interruptible', 'block', 'plain']],
    [['block'], ['interruptible', 'block']],
    [['interruptible'], ['interruptible']],
  ])('at the same price %j is taken of %j', (chosen, kinds) => {
    const types = kinds.map((kind) => type(`${kind}.large`, [reserved(kind, 0.1, kind)]));
    expect(shown(types).map(([, ...offerings]) => offerings)).toEqual([chosen]);
  });

  test.each(['plain', 'block'] as const)('one that is exhausted (%s) leaves the rest as it is', (kind) => {
    const types = [type('p5.large', [onDemand(1), spot(0.5), reserved('cr-1', 0.1, kind, { available: false })])];
    expect(shown(types)).toEqual([['p5.large', 'on-demand 1', 'spot 0.5', 'cr-1']]);
  });

  test('one capacity block is taken, the cheapest', () => {
    const types = [
      type('p5.large', [reserved('cr-1', 0.3, 'block'), reserved('cr-2', 0.2, 'block', { zone: 'b' })]),
      type('p4.large', [reserved('cr-3', 0.1, 'block', { available: false }), reserved('cr-4', 0.4, 'block')]),
    ];
    expect(shown(types)).toEqual([['p5.large', 'cr-2']]);
  });

  test('one per zone is taken, that with the most left', () => {
    const types = [
      type('m5.large', [
        reserved('few', 0.1, 'plain', { reservationCapacity: 2 }),
        reserved('many', 0.2, 'plain', { reservationCapacity: 9 }),
        reserved('none', 0.1, 'plain', { reservationCapacity: 99, available: false }),
        reserved('other', 0.2, 'plain', { zone: 'b' }),
      ]),
    ];
    expect(shown(types)).toEqual([['m5.large', 'many', 'other']]);
  });

  test('types go that the claim allows no reservation of', () => {
    const types = [type('m5.large', [reserved('cr-1', 0.1)]), type('c5.large', [reserved('cr-2', 0.1)])];
    expect(shown(types, { requirements: [isIn(`${RESERVATION}-id`, 'cr-2')] })).toEqual([['c5.large', 'cr-2']]);
  });
});

describe('17.5: exotic types', () => {
  const plain = type('m5.large', [onDemand(9)]);

  test.each<readonly [string, InstanceType]>([
    ['bare metal', type('m5.metal', [onDemand(1)])],
    ['a size of bare metal', type('m7i.metal-24xl', [onDemand(1)])],
    ...['nvidia.com/gpu', 'amd.com/gpu', 'aws.amazon.com/neuron', 'aws.amazon.com/neuroncore', 'habana.ai/gaudi'].map(
      (resource) => [resource, type('p5.large', [onDemand(1)], { [resource]: 1000 })] as const,
    ),
  ])('are only taken when nothing else is left: %s', (_, exotic) => {
    expect(names([exotic, plain])).toEqual(['m5.large']);
    expect(names([exotic])).toEqual([exotic.name]);
    const minValues = { ...isIn('node.kubernetes.io/instance-type', exotic.name, 'm5.large'), minValues: 2 };
    expect(names([exotic, plain], { requirements: [minValues] })).toEqual([exotic.name, 'm5.large']);
  });

  test('do not include those with fabric adapters, or without what they are named for', () => {
    const efa = type('c5n.large', [onDemand(1)], { 'vpc.amazonaws.com/efa': 1000, 'nvidia.com/gpu': 0 });
    expect(names([efa, plain])).toEqual(['c5n.large', 'm5.large']);
  });
});

describe('17.5: spot offerings', () => {
  const types = [
    type('m5.large', [onDemand(1), spot(1), spot(1.01, 'b')]),
    type('c5.large', [spot(2)]),
    type('r5.large', [onDemand(3), spot(0.5)]),
  ];

  test('for more than the cheapest on-demand offering are not taken', () => {
    expect(shown(types, { requirements: [capacityTypes('on-demand', 'spot')] })).toEqual([
      ['r5.large', 'on-demand 3', 'spot 0.5'],
      ['m5.large', 'on-demand 1', 'spot 1'],
    ]);
  });

  test('are compared with what the claim allows and is on sale', () => {
    const requirements = [isIn(ZONE, 'a')];
    const cheap = type('t3.large', [onDemand(0.1, 'b'), onDemand(0.2, 'a', { available: false }), onDemand(4)]);
    expect(shown([cheap, ...types], { requirements }).map(([name]) => name)).toEqual([
      'r5.large',
      'm5.large',
      't3.large',
    ]);
  });

  test.each<[string, Items, InstanceType[]]>([
    ['only spot is allowed', [capacityTypes('spot')], types],
    ['there is no on-demand offering', [], [type('c5.large', [spot(2), spot(1, 'b')])]],
    ['the claim has minValues', [{ key: 'kubernetes.io/arch', operator: 'Exists', minValues: 1 }], types],
  ])('all stay when %s', (_, requirements, given) => {
    const before = given.flatMap(({ offerings }) => offerings).length;
    expect(kept(given, { requirements }).flatMap(({ offerings }) => offerings)).toHaveLength(before);
  });
});

describe('17.6: what is left', () => {
  const many = Array.from({ length: 70 }, (_, at) => type(`m${at}.large`, [onDemand(70 - at), spot(1, 'b')]));
  const ofAll = { key: 'node.kubernetes.io/instance-type', operator: 'Exists' as const };

  test('is the 60 cheapest types by what the claim allows, cheapest first', () => {
    const found = names(many, { requirements: [capacityTypes('on-demand')] });
    expect(found).toHaveLength(60);
    expect([found[0], found.at(-1)]).toEqual(['m69.large', 'm10.large']);
  });

  test('must still be as manifold as the claim wants it, unless that is a wish', () => {
    expect(names(many, { requirements: [{ ...ofAll, minValues: 60 }] })).toHaveLength(60);
    const asked = { requirements: [{ ...ofAll, minValues: 61 }] };
    expect(failure(many, asked)).toMatch(
      /^insufficient capacity, truncating instance types based on the passed-in requirements, validating minValues, /,
    );
    expect(names(many, { ...asked, minValuesPolicy: 'BestEffort' })).toHaveLength(60);
  });

  test('is not changed for others: the types are shared by all launches', () => {
    const shared = type('m5.large', [onDemand(1), spot(2), reserved('cr-1', 0.1)]);
    kept([shared]);
    kept([shared], { requirements: [capacityTypes('on-demand', 'spot')] });
    expect(shared.offerings).toHaveLength(3);
  });
});

describe('17.7: the launch is', () => {
  const all = [type('m5.large', [onDemand(1), spot(1, 'b'), reserved('cr-1', 0.1, 'plain', { zone: 'c' })])];
  const chosen = (...items: NonNullable<Items>[]) =>
    capacityTypeFor(Requirements.fromItems(items.flatMap((x) => [...x])), all);

  test('reserved, else spot, else on demand, as far as the claim allows it and it is on sale', () => {
    expect(chosen()).toBe('reserved');
    expect(chosen([isIn(ZONE, 'a', 'b')])).toBe('spot');
    expect(chosen([isIn(ZONE, 'a')])).toBe('on-demand');
    expect(chosen([capacityTypes('spot', 'on-demand')])).toBe('spot');
    expect(chosen([capacityTypes('on-demand')])).toBe('on-demand');
  });

  test('on shared hardware, unless the claim insists on its own', () => {
    const tenancy = (...values: string[]) =>
      tenancyFor(
        Requirements.fromItems(values.length > 0 ? [isIn('karpenter.k8s.aws/instance-tenancy', ...values)] : []),
      );
    expect([tenancy(), tenancy('default', 'dedicated'), tenancy('dedicated')]).toEqual([
      'default',
      'default',
      'dedicated',
    ]);
  });
});
