import type { MotoServer, Seeded } from '../moto/server.ts';
import { CLUSTER, REGION } from './world.ts';

/** The last one with AMIs of AL2. */
const VERSION = '1.32';

const image = (id: string, name: string, more: object = {}) => ({ id, name, ownerID: '123456789012', ...more });

const IMAGES = [
  image('ami-0000000000000c001', 'golden-amd64', { tags: { team: 'a' }, creationDate: '2026-01-01T00:00:00+00:00' }),
  image('ami-0000000000000c002', 'golden-amd64-old', {
    tags: { team: 'a' },
    creationDate: '2025-01-01T00:00:00+00:00',
  }),
  image('ami-0000000000000c003', 'golden-arm64', { architecture: 'arm64', tags: { team: 'a' } }),
];

const reservation = (id: string, type: string, zone: string, count: number, more: object = {}) => ({
  CapacityReservationId: id,
  InstanceType: type,
  AvailabilityZone: zone,
  InstancePlatform: 'Linux/UNIX',
  InstanceMatchCriteria: 'targeted',
  OwnerId: '123456789012',
  State: 'active',
  TotalInstanceCount: 10,
  AvailableInstanceCount: count,
  ReservationType: 'default',
  Tenancy: 'default',
  Tags: [{ Key: 'reserved', Value: 'yes' }],
  ...more,
});

const RESERVATIONS = [
  reservation('cr-0000000000000001', 'm6i.2xlarge', 'us-west-2a', 5),
  reservation('cr-0000000000000002', 'm6i.2xlarge', 'us-west-2b', 3),
  reservation('cr-0000000000000003', 'r6i.xlarge', 'us-west-2a', 0),
  reservation('cr-0000000000000004', 'c6i.4xlarge', 'us-west-2c', 2, { InstanceMatchCriteria: 'open', Tags: [] }),
  reservation('cr-0000000000000005', 'p5.48xlarge', 'us-west-2a', 1, {
    ReservationType: 'capacity-block',
    EndDate: '2026-12-09T00:00:00+00:00',
    Tags: [{ Key: 'block', Value: 'yes' }],
  }),
];

const group = (id: string, name: string, strategy: string, more: object = {}) => ({
  GroupId: id,
  GroupName: name,
  Strategy: strategy,
  State: 'available',
  ...more,
});

const PLACEMENT_GROUPS = [
  group('pg-0000000000000001', 'tight', 'cluster'),
  group('pg-0000000000000002', 'parts', 'partition', { PartitionCount: 3 }),
  group('pg-0000000000000003', 'apart', 'spread', { SpreadLevel: 'rack' }),
];

/** For the worlds that come last. */
export const SOLD_OUT = [
  { capacityType: 'spot', instanceType: 'd3.xlarge' },
  { capacityType: 'on-demand', instanceType: 'd3.2xlarge', zone: 'us-west-2a' },
  { instanceType: 'd3en.xlarge' },
  { capacityType: 'on-demand', instanceType: 'd3en.2xlarge' },
];

/**
 * AL2023 can't run on them. Upstream remembers for up to five minutes whether they are on sale to one class, whatever the AMI
 * family of the next one is, so that what it answers depends on the order of the questions.
 */
const NOT_SOLD = [{ family: 'a1' }];

/** Fills an empty account with all that the worlds name. */
export async function furnish(moto: MotoServer, clusterEndpoint: string): Promise<Seeded> {
  const seeded = await moto.seed({ cluster: CLUSTER, region: REGION, version: VERSION, clusterEndpoint });
  await moto.addImages(REGION, IMAGES);
  await moto.set('capacity-reservations', RESERVATIONS);
  await moto.set('placement-groups', PLACEMENT_GROUPS);
  await moto.set('not-sold', NOT_SOLD);
  return seeded;
}
