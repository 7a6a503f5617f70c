import { beforeEach, expect, test } from 'vitest';
import { SILENT } from '../../logging/logger.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { UnavailableOfferingsCache } from './unavailable-offerings.ts';

const MINUTE = 60_000;
const ICE = { reason: 'InsufficientInstanceCapacity', fleetID: 'fleet-1' };
let clock: VirtualClock;
let soldOut: UnavailableOfferingsCache;

beforeEach(() => {
  clock = new VirtualClock();
  soldOut = new UnavailableOfferingsCache({ clock, log: SILENT });
});

const isUnavailable = (type: string, zone: string, capacityType: string, subnets: readonly string[] = []) =>
  soldOut.isUnavailable(type, zone, subnets, capacityType);

test('an offering is unavailable for three minutes after EC2 could not sell it, and no other is', async () => {
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE);
  expect(isUnavailable('m5.large', 'a', 'spot')).toBe(true);
  expect(isUnavailable('m5.large', 'b', 'spot')).toBe(false);
  expect(isUnavailable('m5.large', 'a', 'on-demand')).toBe(false);
  expect(isUnavailable('m5.xlarge', 'a', 'spot')).toBe(false);
  await clock.advance(3 * MINUTE - 1);
  expect(isUnavailable('m5.large', 'a', 'spot')).toBe(true);
  await clock.advance(1);
  expect(isUnavailable('m5.large', 'a', 'spot')).toBe(false);
});

test('a second shortage starts the three minutes again', async () => {
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE);
  await clock.advance(2 * MINUTE);
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE);
  await clock.advance(2 * MINUTE);
  expect(isUnavailable('m5.large', 'a', 'spot')).toBe(true);
});

test('a mark within a placement group, or one partition of it, holds only there', () => {
  const group = { placementGroupID: 'pg-1' };
  const partition = { placementGroupID: 'pg-2', placementGroupPartition: '2' };
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE, group);
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE, partition);
  const within = (scope: object) => soldOut.isUnavailable('m5.large', 'a', [], 'spot', scope);
  expect(within({})).toBe(false);
  expect(within(group)).toBe(true);
  expect(within({ placementGroupID: 'pg-2' })).toBe(false);
  expect(within(partition)).toBe(true);
  expect(within({ ...partition, placementGroupPartition: '1' })).toBe(false);
});

test('a whole capacity type can be unavailable', async () => {
  soldOut.markCapacityTypeUnavailable('spot');
  expect(isUnavailable('c5.large', 'b', 'spot')).toBe(true);
  expect(isUnavailable('c5.large', 'b', 'on-demand')).toBe(false);
  await clock.advance(3 * MINUTE);
  expect(isUnavailable('c5.large', 'b', 'spot')).toBe(false);
});

test('a zone is unavailable when all of its subnets are full, until the first has room; never without subnets', async () => {
  soldOut.markSubnetUnavailable('subnet-1');
  const until = clock.now() + 3 * MINUTE;
  expect(isUnavailable('m5.large', 'a', 'spot', ['subnet-1', 'subnet-2'])).toBe(false);
  await clock.advance(MINUTE);
  soldOut.markSubnetUnavailable('subnet-2');
  expect(isUnavailable('m5.large', 'a', 'spot', ['subnet-1', 'subnet-2'])).toBe(true);
  expect(isUnavailable('m5.large', 'a', 'spot')).toBe(false);
  expect(soldOut.unavailableUntil('m5.large', 'a', ['subnet-1', 'subnet-2'], 'spot')).toBe(until);
  await clock.advance(2 * MINUTE);
  expect(isUnavailable('m5.large', 'a', 'spot', ['subnet-1', 'subnet-2'])).toBe(false);
});

test('the latest of several marks tells until when', async () => {
  soldOut.markCapacityTypeUnavailable('spot');
  await clock.advance(MINUTE);
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE);
  expect(soldOut.unavailableUntil('m5.large', 'a', [], 'spot')).toBe(clock.now() + 3 * MINUTE);
  expect(soldOut.unavailableUntil('m5.large', 'b', [], 'spot')).toBe(clock.now() + 2 * MINUTE);
  expect(soldOut.unavailableUntil('m5.large', 'b', [], 'on-demand')).toBeUndefined();
});

test.each([
  ['an offering', () => soldOut.markUnavailable('m5.large', 'a', 'spot', ICE), false],
  ['a capacity type', () => soldOut.markCapacityTypeUnavailable('spot'), true],
  ['a subnet', () => soldOut.markSubnetUnavailable('subnet-1'), true],
])('the sequence number changes when %s is marked, and within ten seconds of its end', async (_what, mark, all) => {
  const numbers = () => ['m5.large', 'c5.large'].map((type) => soldOut.seqNum(type));
  // Whatever was marked before, and when.
  soldOut.markUnavailable('t3.nano', 'a', 'spot', ICE);
  soldOut.markCapacityTypeUnavailable('on-demand');
  soldOut.markSubnetUnavailable('subnet-2');
  await clock.advance(5000);
  const before = numbers();
  mark();
  const marked = numbers();
  expect(marked.map((number, i) => number !== before[i])).toEqual([true, all]);
  await clock.advance(3 * MINUTE - 1);
  const last = numbers();
  await clock.advance(10_000);
  expect(numbers().map((number, i) => number !== last[i])).toEqual([true, all]);
});

test('lists what is marked, why and until when', async () => {
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE, { placementGroupID: 'pg-1' });
  soldOut.markSubnetUnavailable('subnet-1');
  await clock.advance(MINUTE);
  soldOut.markCapacityTypeUnavailable('spot');
  const now = clock.now();
  expect(soldOut.list()).toEqual([
    {
      instanceType: 'm5.large',
      zone: 'a',
      capacityType: 'spot',
      placementGroupID: 'pg-1',
      ...ICE,
      until: now + 2 * MINUTE,
    },
    { capacityType: 'spot', until: now + 3 * MINUTE },
    { subnetID: 'subnet-1', until: now + 2 * MINUTE },
  ]);
  await clock.advance(2 * MINUTE);
  expect(soldOut.list()).toEqual([{ capacityType: 'spot', until: now + 3 * MINUTE }]);
});

test('whoever wants to know is told of each mark, and of no end', async () => {
  let told = 0;
  soldOut.onMarked(() => told++);
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE);
  soldOut.markCapacityTypeUnavailable('spot');
  soldOut.markSubnetUnavailable('subnet-1');
  await clock.advance(4 * MINUTE);
  expect(told).toBe(3);
});

test('a mark of an earlier process neither shortens one of this process nor outlives three minutes', () => {
  const now = clock.now();
  soldOut.markUnavailable('m5.large', 'a', 'spot', ICE);
  const restore = (instanceType: string, until: number) =>
    soldOut.restore({ instanceType, zone: 'a', capacityType: 'spot', until }, now);
  const before = soldOut.seqNum('c5.large');
  restore('m5.large', now + MINUTE);
  restore('c5.large', now + 60 * MINUTE);
  restore('r5.large', now);
  const ends = ['m5.large', 'c5.large', 'r5.large'].map((type) => soldOut.unavailableUntil(type, 'a', [], 'spot'));
  expect(ends).toEqual([now + 3 * MINUTE, now + 3 * MINUTE, undefined]);
  expect(soldOut.seqNum('c5.large')).not.toBe(before);
});
