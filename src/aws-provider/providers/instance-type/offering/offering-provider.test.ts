import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../../apis/labels.ts';
import type { NodeOverlay } from '../../../../apis/node-overlay.ts';
import { SILENT } from '../../../../logging/logger.ts';
import type { InstanceType, Offering } from '../../../../scheduling/instance-type.ts';
import { Requirements } from '../../../../scheduling/requirements.ts';
import { VirtualClock } from '../../../../simulation/virtual-clock.ts';
import type { CapacityReservationStatus, EC2NodeClass, EC2NodeClassSpec } from '../../../apis/ec2-node-class.ts';
import { UnavailableOfferingsCache } from '../../../cache/unavailable-offerings.ts';
import type { PlacementGroup } from '../../contracts.ts';
import { Ec2OfferingProvider, type OfferingProviderDeps } from './offering-provider.ts';
import { OverlayPrices } from './overlay-prices.ts';

const MINUTE = 60_000;
const ICE = { reason: 'InsufficientInstanceCapacity' };
const ZONES = new Set(['us-west-2b', 'us-west-2a', 'us-west-2c']);
const SUBNETS = [
  { id: 'subnet-a1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-a2', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-b1', zone: 'us-west-2b', zoneID: 'usw2-az2' },
];

/** A type that is sold in two zones, on demand and as spot. */
function typeOf(
  name: string,
  zones = ['us-west-2a', 'us-west-2b'],
  capacityTypes = ['on-demand', 'spot'],
): InstanceType {
  const requirements = Requirements.fromItems([
    { key: LABEL_ZONE, operator: 'In', values: zones },
    { key: LABEL_CAPACITY_TYPE, operator: 'In', values: capacityTypes },
  ]);
  return { name, requirements, offerings: [], capacity: { cpu: 2000 }, overhead: {} };
}

function classOf(
  spec: Partial<EC2NodeClassSpec> = {},
  capacityReservations: readonly CapacityReservationStatus[] = [],
): EC2NodeClass {
  const metadata = { name: 'default', uid: 'uid', generation: 1 };
  return {
    metadata,
    spec: { amiSelectorTerms: [], ...spec },
    status: { subnets: SUBNETS, capacityReservations },
  } as unknown as EC2NodeClass;
}

const CLASS = classOf();
const M5 = typeOf('m5.large');
const INFOS = new Map<string, InstanceTypeInfo>(
  (['m5.large', 'c5.large', 't9.new'] as const).map((name) => [
    name,
    {
      InstanceType: name as InstanceTypeInfo['InstanceType'],
      Hypervisor: 'nitro',
      PlacementGroupInfo: { SupportedStrategies: ['partition', 'spread'] },
    },
  ]),
);

let clock: VirtualClock;
let soldOut: UnavailableOfferingsCache;
let prices: { version: number; onDemand: Record<string, number>; spot: Record<string, Record<string, number>> };
let shifted: Set<string>;
let group: PlacementGroup | undefined;
let overlays: readonly NodeOverlay[];
let left: Record<string, number>;
let provider: Ec2OfferingProvider;

function newProvider(changes: Partial<OfferingProviderDeps> = {}): Ec2OfferingProvider {
  return new Ec2OfferingProvider({
    clock,
    unavailableOfferings: soldOut,
    pricing: {
      get version() {
        return prices.version;
      },
      onDemandPrice: (type) => prices.onDemand[type],
      spotPrice: (type, zone) => prices.spot[type]?.[zone],
    },
    overlayPrices: new OverlayPrices({ clock, nodeOverlays: () => overlays }),
    capacityReservations: { availableInstanceCount: (id) => left[id] ?? 0 },
    placementGroups: { get: async () => group, known: () => group },
    zonalShift: { shiftedZones: () => shifted },
    reservedCapacity: true,
    ...changes,
  });
}

beforeEach(() => {
  clock = new VirtualClock();
  soldOut = new UnavailableOfferingsCache({ clock, log: SILENT });
  prices = {
    version: 0,
    onDemand: { 'm5.large': 0.1, 'c5.large': 0.08 },
    spot: { 'm5.large': { 'us-west-2a': 0.03, 'us-west-2b': 0.04 }, 'c5.large': { 'us-west-2a': 0.02 } },
  };
  shifted = new Set();
  group = undefined;
  overlays = [];
  left = {};
  provider = newProvider();
});

async function offeringsOf(type = M5, nodeClass = CLASS): Promise<readonly Offering[]> {
  const [found] = await provider.injectOfferings([type], INFOS, nodeClass, ZONES);
  return found?.offerings ?? [];
}

const labelsOf = ({ requirements }: Offering) =>
  Object.fromEntries([...requirements].map(({ key, values }) => [key, [...values].join()]));

/** `capacity type/zone[/partition]` of those on sale. */
const onSale = (offerings: readonly Offering[]) => offerings.filter(({ available }) => available).map(nameOf);
const nameOf = (offering: Offering) => {
  const labels = labelsOf(offering);
  const partition = labels['karpenter.k8s.aws/placement-group-partition'];
  return [labels[LABEL_CAPACITY_TYPE], labels[LABEL_ZONE]?.slice(-1), ...(partition ? [partition] : [])].join('/');
};

test('a type has an offering for every zone and capacity type; those where it has a price are on sale', async () => {
  delete prices.spot['m5.large']?.['us-west-2b'];
  const offerings = await offeringsOf();
  expect(offerings.map((offering) => [nameOf(offering), offering.price, offering.available])).toEqual([
    ['on-demand/a', 0.1, true],
    ['spot/a', 0.03, true],
    ['on-demand/b', 0.1, true],
    ['spot/b', 0, false],
    ['on-demand/c', 0.1, false],
    ['spot/c', 0, false],
  ]);
});

test('its requirements name zone and zone id, the latter where the class has a subnet, and no reservation', async () => {
  const [first, ...more] = await offeringsOf();
  const reservation = {
    'karpenter.k8s.aws/capacity-reservation-id': '',
    'karpenter.k8s.aws/capacity-reservation-type': '',
    'karpenter.k8s.aws/capacity-reservation-interruptible': '',
  };
  const common = { 'karpenter.sh/capacity-type': 'on-demand', ...reservation };
  expect(first && labelsOf(first)).toEqual({
    ...common,
    'topology.kubernetes.io/zone': 'us-west-2a',
    'topology.k8s.aws/zone-id': 'usw2-az1',
  });
  expect(first?.requirements.get('karpenter.k8s.aws/capacity-reservation-id').operator).toBe('DoesNotExist');
  expect(more.map(labelsOf)[3]).toEqual({ ...common, 'topology.kubernetes.io/zone': 'us-west-2c' });
});

test('a type that the class can not have keeps its offerings, none of them on sale', async () => {
  const nodeClass = classOf({ cpuOptions: { nestedVirtualization: 'enabled' } });
  const offerings = await offeringsOf(M5, nodeClass);
  expect(offerings).toHaveLength(6);
  expect(onSale(offerings)).toEqual([]);
  expect(onSale(await offeringsOf(M5, CLASS))).toHaveLength(4);
});

test('what EC2 could not sell is off sale at once, with the time when it is tried again', async () => {
  await offeringsOf();
  soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE);
  const until = clock.now() + 3 * MINUTE;
  const offerings = await offeringsOf();
  expect(onSale(offerings)).toEqual(['on-demand/a', 'on-demand/b', 'spot/b']);
  expect(offerings.flatMap((o) => (o.unavailableUntil === undefined ? [] : [[nameOf(o), o.unavailableUntil]]))).toEqual(
    [['spot/a', until]],
  );
  await clock.advance(3 * MINUTE + 10_000);
  expect(onSale(await offeringsOf())).toHaveLength(4);
});

test('a second shortage moves the time', async () => {
  soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE);
  await offeringsOf();
  await clock.advance(MINUTE);
  soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE);
  const times = (await offeringsOf()).map(({ unavailableUntil }) => unavailableUntil);
  expect(times.filter((time) => time !== undefined)).toEqual([clock.now() + 3 * MINUTE]);
});

test('every class notices what is sold out, whichever asks first', async () => {
  const other = classOf({ connectionTracking: {} });
  await offeringsOf(M5, CLASS);
  await offeringsOf(M5, other);
  soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE);
  expect(onSale(await offeringsOf(M5, CLASS))).toHaveLength(3);
  expect(onSale(await offeringsOf(M5, other))).toHaveLength(3);
});

test('an offering that is off sale for good has no time of another try', async () => {
  prices.onDemand = {};
  soldOut.markCapacityTypeUnavailable('on-demand');
  for (const offering of await offeringsOf()) expect(offering.unavailableUntil).toBeUndefined();
});

test('a zone whose subnets are all full is off sale', async () => {
  soldOut.markSubnetUnavailable('subnet-a1');
  expect(onSale(await offeringsOf())).toHaveLength(4);
  soldOut.markSubnetUnavailable('subnet-a2');
  expect(onSale(await offeringsOf())).toEqual(['on-demand/b', 'spot/b']);
});

test('a zone that traffic is shifted away from is off sale until it is not', async () => {
  shifted.add('usw2-az1');
  expect(onSale(await offeringsOf())).toEqual(['on-demand/b', 'spot/b']);
  shifted.clear();
  expect(onSale(await offeringsOf())).toHaveLength(4);
});

test('24: prices hold at once when they have been refreshed', async () => {
  const price = async () => (await offeringsOf())[0]?.price;
  expect(await price()).toBe(0.1);
  prices.onDemand['m5.large'] = 0.2;
  prices.version++;
  expect(await price()).toBe(0.2);
});

test('prices are looked at again after five minutes', async () => {
  const price = async () => (await offeringsOf())[0]?.price;
  expect(await price()).toBe(0.1);
  prices.onDemand['m5.large'] = 0.2;
  await clock.advance(5 * MINUTE - 1);
  expect(await price()).toBe(0.1);
  await clock.advance(1);
  expect(await price()).toBe(0.2);
});

describe('what has not changed', () => {
  const types = [M5, typeOf('c5.large')];
  const ask = () => provider.injectOfferings(types, INFOS, CLASS, new Set(ZONES));

  test('is the same list, also when prices were looked at again', async () => {
    const before = await ask();
    expect(await ask()).toBe(before);
    await clock.advance(5 * MINUTE);
    expect(await ask()).toBe(before);
  });

  test('is the same object beside what has', async () => {
    const before = await ask();
    soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE);
    const after = await ask();
    expect(after).not.toBe(before);
    expect(after[1]).toBe(before[1]);
    const [old, now] = [before[0]?.offerings ?? [], after[0]?.offerings ?? []];
    expect(now.map((offering, index) => offering === old[index])).toEqual([true, false, true, true, true, true]);
  });

  test('is the same although EC2 sells something else no longer to another class', async () => {
    const before = await ask();
    const other = classOf({ connectionTracking: {} });
    await provider.injectOfferings(types, INFOS, other, ZONES);
    expect(await ask()).toBe(before);
  });
});

const RESERVATION: CapacityReservationStatus = {
  id: 'cr-1',
  instanceType: 'm5.large',
  availabilityZone: 'us-west-2a',
  reservationType: 'default',
  instanceMatchCriteria: 'open',
  interruptible: false,
  ownerID: '012345678901',
  state: 'active',
};

describe('a reservation', () => {
  const reserved = async (changes: Partial<CapacityReservationStatus> = {}) =>
    (await offeringsOf(M5, classOf({}, [{ ...RESERVATION, ...changes }]))).find(
      (offering) => labelsOf(offering)[LABEL_CAPACITY_TYPE] === 'reserved',
    );

  test('is one more offering of its type, nearly free, with what is left of it', async () => {
    left = { 'cr-1': 3 };
    const offering = await reserved({ reservationType: 'capacity-block', interruptible: true });
    expect(offering).toMatchObject({ price: 0.1 / 10_000_000, available: true, reservationCapacity: 3 });
    expect(offering && labelsOf(offering)).toEqual({
      'karpenter.sh/capacity-type': 'reserved',
      'topology.kubernetes.io/zone': 'us-west-2a',
      'topology.k8s.aws/zone-id': 'usw2-az1',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
      'karpenter.k8s.aws/capacity-reservation-type': 'capacity-block',
      'karpenter.k8s.aws/capacity-reservation-interruptible': 'true',
    });
  });

  test('is counted anew each time', async () => {
    const counts: (readonly [number | undefined, boolean | undefined])[] = [];
    for (const count of [1, 0, 2]) {
      left = { 'cr-1': count };
      const offering = await reserved();
      counts.push([offering?.reservationCapacity, offering?.available]);
    }
    expect(counts).toEqual([
      [1, true],
      [0, false],
      [2, true],
    ]);
  });

  test.each([
    ['ends soon', { state: 'expiring' }],
    ['is in a zone without the type', { availabilityZone: 'us-west-2c' }],
    ['is in no zone of the region', { availabilityZone: 'us-west-2z' }],
  ] as const)('is off sale when it %s', async (_when, changes) => {
    left = { 'cr-1': 1 };
    expect(await reserved(changes)).toMatchObject({ available: false });
  });

  test('is off sale in a shifted zone, and for a class that can not have the type', async () => {
    left = { 'cr-1': 1 };
    shifted.add('usw2-az1');
    expect(await reserved()).toMatchObject({ available: false });
    shifted.clear();
    const nodeClass = classOf({ cpuOptions: { nestedVirtualization: 'enabled' } }, [RESERVATION]);
    expect(onSale(await offeringsOf(M5, nodeClass))).toEqual([]);
  });

  test('can be used though its type is sold out or has no price', async () => {
    left = { 'cr-1': 1 };
    soldOut.markUnavailable('m5.large', 'us-west-2a', 'on-demand', ICE);
    expect(await reserved()).toMatchObject({ available: true });
    prices.onDemand = {};
    expect(await reserved()).toMatchObject({ available: true, price: 0 });
  });

  test('leaves its type as it was when it goes', async () => {
    left = { 'cr-1': 1 };
    expect(await offeringsOf(M5, classOf({}, [RESERVATION]))).toHaveLength(7);
    expect(await offeringsOf(M5, CLASS)).toHaveLength(6);
  });

  test('is the only reserved offering of a type that can be reserved', async () => {
    left = { 'cr-1': 1 };
    const type = typeOf('m5.large', ['us-west-2a'], ['on-demand', 'reserved']);
    expect((await offeringsOf(type, classOf({}, [RESERVATION]))).map(nameOf)).toEqual([
      ...['on-demand/a', 'on-demand/b', 'on-demand/c'],
      'reserved/a',
    ]);
  });

  test('is none of other types, nor while reservations are switched off', async () => {
    left = { 'cr-1': 1 };
    expect(await offeringsOf(typeOf('c5.large'), classOf({}, [RESERVATION]))).toHaveLength(6);
    provider = newProvider({ reservedCapacity: false });
    expect(await reserved()).toBeUndefined();
  });
});

describe('in a placement group', () => {
  const GROUP: PlacementGroup = { id: 'pg-1', name: 'g', strategy: 'spread', partitionCount: 0, spreadLevel: 'rack' };
  const PARTITIONED: PlacementGroup = { id: 'pg-1', name: 'g', strategy: 'partition', partitionCount: 2 };
  const NODE_CLASS = classOf({ placementGroupSelector: { name: 'g' } });
  const requirementsOf = async () => {
    const [type] = await provider.injectOfferings([M5], INFOS, NODE_CLASS, ZONES);
    return ['id', 'partition'].map((what) => {
      const requirement = type?.requirements.find(`karpenter.k8s.aws/placement-group-${what}`);
      return requirement && [...requirement.values];
    });
  };

  test('types have its label, and those of its partitions', async () => {
    group = GROUP;
    expect(await requirementsOf()).toEqual([['pg-1'], undefined]);
    group = PARTITIONED;
    expect(await requirementsOf()).toEqual([['pg-1'], ['1', '2']]);
    group = { ...PARTITIONED, id: 'pg-2', partitionCount: 1 };
    expect(await requirementsOf()).toEqual([['pg-2'], ['1']]);
    expect(M5.requirements.has('karpenter.k8s.aws/placement-group-id')).toBe(false);
  });

  test('types that can not be placed that way are off sale', async () => {
    group = { ...GROUP, strategy: 'cluster' };
    expect(onSale(await offeringsOf(M5, NODE_CLASS))).toEqual([]);
  });

  test('a shortage in the group counts there only, a general one there too', async () => {
    group = GROUP;
    soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE, { placementGroupID: 'pg-1' });
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE, { placementGroupID: 'pg-other' });
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'on-demand', ICE);
    expect(onSale(await offeringsOf(M5, NODE_CLASS))).toEqual(['on-demand/a', 'spot/b']);
    group = undefined;
    expect(onSale(await offeringsOf(M5, CLASS))).toEqual(['on-demand/a', 'spot/a', 'spot/b']);
  });

  test('each offering is one per partition, reserved ones too; a partition can be sold out by itself', async () => {
    group = PARTITIONED;
    left = { 'cr-1': 1 };
    soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE, {
      placementGroupID: 'pg-1',
      placementGroupPartition: '2',
    });
    const nodeClass = classOf({ placementGroupSelector: { name: 'g' } }, [RESERVATION]);
    const offerings = await offeringsOf(M5, nodeClass);
    expect(offerings).toHaveLength(14);
    expect(onSale(offerings)).toEqual([
      ...['on-demand/a/1', 'on-demand/a/2', 'spot/a/1'],
      ...['on-demand/b/1', 'on-demand/b/2', 'spot/b/1', 'spot/b/2'],
      ...['reserved/a/1', 'reserved/a/2'],
    ]);
    expect(await offeringsOf(M5, nodeClass)).toBe(offerings);
  });

  test('while EC2 does not tell the group it is what it was', async () => {
    provider = newProvider({
      placementGroups: { get: () => Promise.reject(new Error('throttled')), known: () => GROUP },
    });
    expect(await requirementsOf()).toEqual([['pg-1'], undefined]);
  });
});

describe('a type without a price', () => {
  const NEW = typeOf('t9.new', ['us-west-2a'], ['on-demand']);
  const overlay = (spec: Partial<NodeOverlay['spec']>, isValid = true) =>
    ({
      metadata: { name: 'price' },
      spec: {
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['t9.new'] }],
        ...spec,
      },
      status: { conditions: [{ type: 'ValidationSucceeded', status: isValid ? 'True' : 'False' }] },
    }) as unknown as NodeOverlay;

  test('has that of an overlay that names it', async () => {
    expect(onSale(await offeringsOf(NEW))).toEqual([]);
    overlays = [overlay({ price: '0.5' })];
    await clock.advance(5 * MINUTE);
    expect((await offeringsOf(NEW))[0]).toMatchObject({ price: 0.5, available: true });
    overlays = [];
    prices.version++;
    await clock.advance(5 * MINUTE - 1);
    expect(onSale(await offeringsOf(NEW))).toEqual(['on-demand/a']);
    await clock.advance(1);
    prices.version++;
    expect(onSale(await offeringsOf(NEW))).toEqual([]);
  });

  test.each([
    ['is not valid', overlay({ price: '0.5' }, false)],
    ['has no price of its own', overlay({ priceAdjustment: '+10%' })],
    ['has a price that is no number', overlay({ price: 'much' })],
    [
      'has more requirements',
      overlay({
        price: '0.5',
        requirements: [
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['t9.new'] },
          { key: 'topology.kubernetes.io/zone', operator: 'Exists' },
        ],
      }),
    ],
    [
      'names all but some',
      overlay({
        price: '0.5',
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'NotIn', values: ['t9.new'] }],
      }),
    ],
    [
      'asks for something else',
      overlay({ price: '0.5', requirements: [{ key: 'team', operator: 'In', values: ['t9.new'] }] }),
    ],
  ])('has none when the overlay %s', async (_why, unfit) => {
    overlays = [unfit];
    expect(onSale(await offeringsOf(NEW))).toEqual([]);
  });

  test('a price of AWS goes before that of an overlay', async () => {
    overlays = [
      overlay({
        price: '0.5',
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }],
      }),
    ];
    expect((await offeringsOf())[0]?.price).toBe(0.1);
  });
});
