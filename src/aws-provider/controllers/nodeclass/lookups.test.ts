import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GPU_AMI, STANDARD_AMI } from '../../../../test/aws/fake-findings.ts';
import { NodeClassApi, NodeClassWorld } from '../../../../test/aws/node-class-world.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import type { Client } from '../../../kube/client.ts';
import { formatTimestamp } from '../../../kube/timestamp.ts';
import { Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { UnsupportedAliasError } from '../../providers/ami-family/unsupported-alias-error.ts';

const MINUTE = 60_000;

let api: NodeClassApi;
let world: NodeClassWorld;
beforeAll(async () => {
  api = await NodeClassApi.open();
});
afterAll(async () => await api.close());
beforeEach(async () => {
  world = await NodeClassWorld.open(api);
});
afterEach(async () => await world.close());

const looks = async (minutes: number): Promise<number> => await world.looksWithin(minutes * MINUTE);

test('6: a class is ready when all that it selects was found, and can’t be deleted without us from then on', async () => {
  const { metadata, status } = await world.create();
  expect(metadata.finalizers).toEqual(['karpenter.k8s.aws/termination']);
  expect(status?.conditions?.map((condition) => `${condition.type}=${condition.status}`).sort()).toEqual([
    'AMIsReady=True',
    'CapacityReservationsReady=True',
    'InstanceProfileReady=True',
    'PlacementGroupReady=True',
    'Ready=True',
    'SecurityGroupsReady=True',
    'SubnetsReady=True',
    'ValidationSucceeded=True',
  ]);
  expect(await world.condition('Ready')).toEqual({ status: 'True', reason: 'Ready', message: '' });
});

test('6: what is not ready is summed up in Ready', async () => {
  world.findings.subnets = [];
  await world.create();
  expect(await world.condition('Ready')).toEqual({
    status: 'False',
    reason: 'UnhealthyDependents',
    message: 'SubnetsReady=False, ValidationSucceeded=False',
  });
});

test('6: all parts are looked at though some fail, and their findings are written', async () => {
  world.findings.fail('amis', awsError('InternalError', 'oh'));
  world.findings.fail('securityGroups', awsError('InternalError', 'no'));
  await world.create();
  expect(await world.condition('AMIsReady')).toMatchObject({ status: 'Unknown', reason: 'AwaitingReconciliation' });
  expect(await world.condition('SecurityGroupsReady')).toMatchObject({ status: 'Unknown' });
  expect(await world.condition('SubnetsReady')).toMatchObject({ status: 'True' });
  expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
    message: 'getting amis, oh; getting security groups, no',
  });
  world.findings.errors.clear();
  await world.clock.advance(MINUTE);
  expect(await world.condition('Ready')).toMatchObject({ status: 'True' });
});

test('6: what went wrong is told even if the status can’t be written', async () => {
  await world.close();
  const patch: Client['patch'] = async () => await Promise.reject(new Error('no API'));
  world = await NodeClassWorld.open(api, { client: (base) => alteredClient(base, { patch }) });
  world.findings.fail('amis', awsError('InternalError', 'oh'));
  const kept = ['karpenter.k8s.aws/termination'];
  await world.create({ metadata: { finalizers: kept } });
  expect(world.reconciled.find(({ controller }) => controller === 'nodeclass')?.error).toMatchObject({
    message: 'getting amis, oh; no API',
  });
});

const OTHER = 'example.com/other';

/** Lets somebody else change the finalizers and conditions of the class just before each kind of patch of them is sent. */
async function contend(): Promise<void> {
  await world.close();
  const done = new Set<string>();
  const patch = (base: Client): Client['patch'] => {
    return async (resource, ref, change, options, signal) => {
      const { metadata, status } = change.body as { metadata?: { finalizers?: readonly string[] }; status?: object };
      const { deletionTimestamp } = (await world.nodeClass()).metadata;
      const kind = status ? 'status' : metadata?.finalizers && (deletionTimestamp ? 'removal' : 'addition');
      if (kind && !done.has(kind)) {
        done.add(kind);
        await interfere(kind);
      }
      return await base.patch(resource, ref, change, options, signal);
    };
  };
  world = await NodeClassWorld.open(api, { client: (base) => alteredClient(base, { patch: patch(base) }) });
}

async function interfere(kind: 'status' | 'removal' | 'addition'): Promise<void> {
  const { metadata, status } = await world.nodeClass();
  const lastTransitionTime = formatTimestamp(world.clock.now());
  const condition = { type: 'Other', status: 'True', reason: 'Other', message: '', lastTransitionTime };
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== OTHER);
  const body =
    kind === 'status'
      ? { status: { conditions: [...(status?.conditions ?? []), condition] } }
      : { metadata: { finalizers: kind === 'addition' ? [...others, OTHER] : others } };
  const options = kind === 'status' ? { subresource: 'status' } : {};
  await world.client.patch(Ec2NodeClasses, { name: 'default' }, { type: 'merge', body }, options);
}

test('6: somebody else’s finalizers and conditions are not overwritten: the class is looked at again', async () => {
  await contend();
  const { metadata } = await world.create();
  expect(metadata.finalizers).toEqual([OTHER, 'karpenter.k8s.aws/termination']);
  expect(await world.condition('Other')).toMatchObject({ status: 'True' });
  expect(await world.condition('Ready')).toMatchObject({ status: 'True' });
  await world.delete();
  await world.clock.advance(1000);
  expect((await world.client.list(Ec2NodeClasses)).items).toEqual([]);
  expect(world.reconciled.filter(({ result }) => result === 'error')).toEqual([]);
});

describe('6: images', () => {
  test('are told with their requirements, short keys first', async () => {
    world.findings.amis = [{ ...STANDARD_AMI, deprecated: true }, GPU_AMI];
    const { status } = await world.create();
    expect(status?.amis).toEqual([
      {
        id: 'ami-standard',
        name: 'standard',
        deprecated: true,
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
          { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
        ],
      },
      {
        id: 'ami-gpu',
        name: 'gpu',
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'Exists' },
        ],
      },
    ]);
  });

  test('that are gone are not told any more, and looked for again in a minute', async () => {
    await world.create();
    world.findings.amis = [];
    await world.clock.advance(5 * MINUTE);
    expect((await world.nodeClass()).status?.amis).toBeUndefined();
    expect(await world.condition('AMIsReady')).toEqual({
      status: 'False',
      reason: 'AMINotFound',
      message: 'AMISelector did not match any AMIs',
    });
  });

  test('of an alias that the cluster is too new for are not looked for again', async () => {
    world.findings.fail(
      'amis',
      new Error('getting AMI queries, AL2 is over', { cause: new UnsupportedAliasError('AL2 is over') }),
    );
    await world.create();
    expect(await world.condition('AMIsReady')).toEqual({
      status: 'False',
      reason: 'UnsupportedAlias',
      message: 'getting AMI queries, AL2 is over',
    });
    expect(await looks(60)).toBe(0);
  });
});

describe('6: subnets', () => {
  test('are told by free addresses, then by id', async () => {
    const subnet = (id: string, free: number) => ({
      SubnetId: id,
      AvailableIpAddressCount: free,
      AvailabilityZone: 'us-west-2a',
      AvailabilityZoneId: 'usw2-az1',
    });
    world.findings.subnets = [subnet('subnet-b', 5), subnet('subnet-c', 9), subnet('subnet-a', 5)];
    const { status } = await world.create();
    expect(status?.subnets).toEqual(
      ['subnet-c', 'subnet-a', 'subnet-b'].map((id) => ({ id, zone: 'us-west-2a', zoneID: 'usw2-az1' })),
    );
    expect(await looks(3)).toBe(3);
  });

  test('are looked for again in a minute, whatever else there is', async () => {
    await world.close();
    world = await NodeClassWorld.open(api, { reservedCapacity: false });
    await world.create();
    expect(await looks(3)).toBe(3);
  });

  test('that are gone are not told any more', async () => {
    await world.create();
    world.findings.subnets = [];
    await world.clock.advance(MINUTE);
    expect((await world.nodeClass()).status?.subnets).toBeUndefined();
    expect(await world.condition('SubnetsReady')).toEqual({
      status: 'False',
      reason: 'SubnetsNotFound',
      message: 'SubnetSelector did not match any Subnets',
    });
  });
});

describe('6: security groups', () => {
  test('are told by id', async () => {
    world.findings.securityGroups = [
      { GroupId: 'sg-2', GroupName: 'two' },
      { GroupId: 'sg-1', GroupName: 'one' },
    ];
    const { status } = await world.create();
    expect(status?.securityGroups).toEqual([
      { id: 'sg-1', name: 'one' },
      { id: 'sg-2', name: 'two' },
    ]);
  });

  test('that are gone are not told any more', async () => {
    await world.create();
    world.findings.securityGroups = [];
    await world.clock.advance(5 * MINUTE);
    expect((await world.nodeClass()).status?.securityGroups).toBeUndefined();
    expect(await world.condition('SecurityGroupsReady')).toEqual({
      status: 'False',
      reason: 'SecurityGroupsNotFound',
      message: 'SecurityGroupSelector did not match any SecurityGroups',
    });
  });
});

describe('6: the placement group', () => {
  const selecting = { spec: { placementGroupSelector: { name: 'blue' } } };

  test('makes the class ready when it is there', async () => {
    world.findings.placementGroup = { id: 'pg-1', name: 'blue', strategy: 'cluster', partitionCount: 0 };
    await world.create(selecting);
    expect(await world.condition('PlacementGroupReady')).toMatchObject({ status: 'True' });
  });

  test('may be missing', async () => {
    await world.create(selecting);
    expect(await world.condition('PlacementGroupReady')).toEqual({
      status: 'False',
      reason: 'PlacementGroupNotFound',
      message: 'Placement group "blue" not found',
    });
  });

  test('may not be told by EC2', async () => {
    world.findings.fail('placementGroup', awsError('InternalError', 'oh'));
    await world.create(selecting);
    expect(await world.condition('PlacementGroupReady')).toEqual({
      status: 'False',
      reason: 'PlacementGroupResolutionFailed',
      message: 'Failed to resolve placement group',
    });
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: 'resolving placement group (placement-group=blue), oh',
    });
  });
});

describe('6: capacity reservations', () => {
  const reservation = (id: string, changes: object = {}) => ({
    CapacityReservationId: id,
    AvailabilityZone: 'us-west-2a',
    InstanceMatchCriteria: 'targeted' as const,
    InstanceType: 'm5.large',
    OwnerId: '012345678901',
    ...changes,
  });

  test('are told by id, but for those that can’t be understood', async () => {
    world.findings.capacityReservations = [
      reservation('cr-2'),
      reservation('cr-3', { InstanceMatchCriteria: 'new' }),
      reservation('cr-1'),
    ];
    const { status } = await world.create();
    expect(status?.capacityReservations?.map(({ id }) => id)).toEqual(['cr-1', 'cr-2']);
    expect(await world.condition('CapacityReservationsReady')).toMatchObject({ status: 'True' });
    expect(new Set(world.logged)).toEqual(new Set(['failed to parse discovered capacity reservations']));
    world.findings.capacityReservations = [reservation('cr-3', { InstanceMatchCriteria: 'new' })];
    await world.clock.advance(MINUTE);
    expect((await world.nodeClass()).status?.capacityReservations).toBeUndefined();
  });

  test('are looked at again when the first of them ends', async () => {
    const end = new Date(world.clock.now() + 20_000);
    world.findings.capacityReservations = [reservation('cr-1', { EndDate: end }), reservation('cr-2')];
    const { status } = await world.create();
    expect(status?.capacityReservations?.[0]?.endTime).toBe(formatTimestamp(end.getTime()));
    world.findings.capacityReservations = [];
    expect(await world.looksWithin(18_000)).toBe(0);
    await world.clock.advance(1000);
    expect((await world.nodeClass()).status?.capacityReservations).toBeUndefined();
  });

  test('that have ended and are still told are looked at again every second', async () => {
    const end = new Date(world.clock.now() + 500);
    world.findings.capacityReservations = [reservation('cr-1', { EndDate: end })];
    await world.create();
    expect(await world.looksWithin(3000)).toBe(3);
  });

  test('count with the feature gate only', async () => {
    await world.close();
    world = await NodeClassWorld.open(api, { reservedCapacity: false });
    world.findings.capacityReservations = [reservation('cr-1')];
    const { status } = await world.create();
    expect(status?.capacityReservations).toBeUndefined();
    expect(await world.condition('CapacityReservationsReady')).toBeUndefined();
    expect(await world.condition('Ready')).toMatchObject({ status: 'True' });
    // For the sake of its subnets.
    expect(await looks(3)).toBe(3);
  });
});
