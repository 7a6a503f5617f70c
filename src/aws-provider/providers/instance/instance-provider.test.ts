/** Launching, and what becomes of instances (aws-provider.md sections 17, 19 and 20). */
import { beforeEach, describe, expect, test } from 'vitest';
import { poolOf } from '../../../../test/aws/fake-ec2.ts';
import { LaunchRig } from '../../../../test/aws/launch-rig.ts';
import { types } from '../../../../test/aws/requirements.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import {
  CreateError,
  causeOf,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
} from '../../../cloudprovider/errors.ts';

const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const;
const SPOT = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] } as const;

let rig: LaunchRig;
beforeEach(async () => {
  rig = new LaunchRig();
  await rig.start();
});

const idOf = (providerID = ''): string => providerID.slice(providerID.lastIndexOf('/') + 1);
const launch = async (...requirements: readonly object[]) =>
  await rig.create(rig.claim({ spec: { requirements: requirements as never } }));
const failure = async (work: Promise<unknown>): Promise<unknown> =>
  await rig.finish(work).then(
    () => undefined,
    (error: unknown) => error,
  );
const zones = (name: string, capacityType: string): readonly boolean[] =>
  ['us-west-2a', 'us-west-2b', 'us-west-2c'].map((zone) =>
    rig.unavailableOfferings.isUnavailable(name, zone, [], capacityType),
  );

describe('what a fleet could not launch', () => {
  test('is off sale for three minutes, also when something else was launched', async () => {
    rig.aws.cloud.sellOut('spot', 'c5.large', 'us-west-2a');
    const claim = await launch(SPOT, types('c5.large'));
    expect(claim.metadata.labels?.['topology.kubernetes.io/zone']).toBe('us-west-2b');
    expect(zones('c5.large', 'spot')).toEqual([true, false, false]);
    expect(zones('c5.large', 'on-demand')).toEqual([false, false, false]);
    expect(rig.metrics.of('cloudprovider_instance_launch_failures_total')).toEqual([
      { zone: 'us-west-2a', zone_id: 'usw2-az1', capacity_type: 'spot', reason: 'LaunchFailed' },
    ]);
    await rig.clock.advance(180_000);
    expect(zones('c5.large', 'spot')).toEqual([false, false, false]);
  });

  test('makes the claim fail for want of capacity when nothing could be launched', async () => {
    for (const zone of ['a', 'b', 'c']) rig.aws.cloud.sellOut('spot', 'c5.large', `us-west-2${zone}`);
    const error = await failure(launch(SPOT, types('c5.large')));
    expect(causeOf(error, InsufficientCapacityError)?.message).toMatch(
      /^insufficient capacity, with fleet error\(s\), InsufficientInstanceCapacity: .*\(us-west-2a\).*; InsufficientInstanceCapacity: /,
    );
    const again = await failure(launch(SPOT, types('c5.large')));
    expect(causeOf(again, InsufficientCapacityError)?.message).toBe(
      'insufficient capacity, all requested instance types were unavailable during launch',
    );
    expect(rig.fleets).toHaveLength(1);
  });

  test.each([
    ['InvalidAMIID.NotFound', 'AMINotFound'],
    ['UnauthorizedOperation', 'Unauthorized'],
    ['SomethingNew', 'LaunchFailed'],
  ])('is told as such when it is no shortage: %s', async (code, reason) => {
    for (const zone of ['a', 'b', 'c']) {
      rig.aws.cloud.poolFailures.set(poolOf('on-demand', 'c5.large', `us-west-2${zone}`), { code, message: 'no' });
    }
    const error = causeOf(await failure(launch(ON_DEMAND, types('c5.large'))), CreateError);
    expect(error).toMatchObject({ conditionReason: reason, message: `creating nodeclaim, ${code}: no` });
    expect(zones('c5.large', 'on-demand')).toEqual([false, false, false]);
  });

  test.each([
    'MaxSpotInstanceCountExceeded',
    'VcpuLimitExceeded',
    'UnfulfillableCapacity',
    'Unsupported',
    'MaxFleetCountExceeded',
  ])('is a shortage by the code %s', async (code) => {
    for (const zone of ['a', 'b', 'c']) {
      rig.aws.cloud.poolFailures.set(poolOf('spot', 'c5.large', `us-west-2${zone}`), { code });
    }
    expect(causeOf(await failure(launch(SPOT, types('c5.large'))), InsufficientCapacityError)).toBeDefined();
    expect(zones('c5.large', 'spot')).toEqual([true, true, true]);
  });

  test('closes a subnet without addresses to every type', async () => {
    const [subnet] = rig.aws.cloud.subnets;
    if (subnet) subnet.AvailableIpAddressCount = 0;
    await launch(SPOT, types('c5.large'));
    const isClosed = rig.unavailableOfferings.isUnavailable('m5.large', 'us-west-2a', ['subnet-test1'], 'on-demand');
    expect(isClosed).toBe(true);
  });

  test('closes spot as a whole when the role for it can not be made, and says so', async () => {
    const code = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';
    for (const zone of ['a', 'b', 'c'])
      rig.aws.cloud.poolFailures.set(poolOf('spot', 'c5.large', `us-west-2${zone}`), { code });
    const error = await failure(launch(SPOT, types('c5.large')));
    expect(causeOf(error, InsufficientCapacityError)).toBeDefined();
    expect(zones('m5.large', 'spot')).toEqual([true, true, true]);
    expect(zones('m5.large', 'on-demand')).toEqual([false, false, false]);
    expect(rig.events[0]).toMatchObject({
      type: 'Warning',
      message: `Attempted to launch a spot instance but failed due to "${code}"`,
    });
  });
});

test('11: addresses that a fleet did not use are there for the next launch, those that it used are not', async () => {
  const { cloud } = rig.aws;
  const [subnet, ...others] = cloud.subnets;
  // Two subnets in one zone; a launch is expected to take as many addresses as m5.large has pods: 29.
  cloud.subnets = [
    { ...subnet, AvailableIpAddressCount: 60 },
    { ...subnet, SubnetId: 'subnet-second', AvailableIpAddressCount: 59 },
    ...others,
  ];
  cloud.spotPrices.set('m5.large/us-west-2b', 0.001);
  await rig.start({ metadata: { uid: 'with-two-subnets' } });
  const inZone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a'] };
  const asked: (string | undefined)[] = [];
  for (const requirements of [[], [], [inZone], [inZone]]) {
    await launch(SPOT, types('m5.large'), ...requirements);
    const overrides = (rig.fleets.at(-1)?.LaunchTemplateConfigs ?? []).flatMap(({ Overrides = [] }) => Overrides);
    asked.push(overrides.find(({ AvailabilityZone }) => AvailabilityZone === 'us-west-2a')?.SubnetId);
  }
  expect(asked).toEqual(['subnet-test1', 'subnet-test1', 'subnet-test1', 'subnet-second']);
});

describe('launch templates', () => {
  test('that somebody has deleted are made anew, once', async () => {
    await launch(ON_DEMAND);
    rig.aws.cloud.launchTemplates.clear();
    const claim = await launch(ON_DEMAND);
    expect(claim.status?.providerID).toMatch(/^aws:\/\/\/us-west-2/);
    expect(rig.fleets).toHaveLength(3);
  });

  test('that EC2 will not know at all make the launch fail', async () => {
    rig.aws.calls.fail('createFleet', awsError('InvalidLaunchTemplateName.NotFoundException', 'no such template'));
    const error = causeOf(await failure(launch(ON_DEMAND)), CreateError);
    expect(error).toMatchObject({
      conditionReason: 'LaunchFailed',
      conditionMessage: 'Launch templates not found when creating fleet request: Instance launch failed',
    });
    expect(rig.fleets).toHaveLength(2);
  });

  test('that can not be made are told by what is wrong', async () => {
    rig.aws.calls.forbid('createLaunchTemplate');
    const error = causeOf(await failure(launch(ON_DEMAND)), CreateError);
    expect(error?.conditionReason).toBe('Unauthorized');
    expect(error?.conditionMessage).toBe(
      'Error getting launch template configs: User is not authorized to perform this operation because no identity-based policy allows it',
    );
    expect(rig.fleets).toEqual([]);
  });
});

test('a fleet request that EC2 refuses is told by what is wrong', async () => {
  rig.aws.calls.throttle('createFleet');
  const error = causeOf(await failure(launch(ON_DEMAND)), CreateError);
  expect(error).toMatchObject({
    conditionReason: 'RequestLimitExceeded',
    conditionMessage: 'Error creating fleet request: Request limit exceeded',
  });
});

test('claims that are alike become one fleet', async () => {
  const claims = await Promise.all([1, 2, 3].map(() => launch(ON_DEMAND, types('m5.large'))));
  expect(new Set(claims.map(({ status }) => status?.providerID)).size).toBe(3);
  expect(rig.fleets.map(({ TargetCapacitySpecification: target }) => target?.TotalTargetCapacity)).toEqual([3]);
});

test('17, 18: hundreds of claims at once are one fleet from one set of templates', async () => {
  rig.aws.cloud.subnets.forEach((subnet) => {
    subnet.AvailableIpAddressCount = 10_000;
  });
  await rig.start();
  const claims = await rig.finish(
    Promise.all(
      Array.from({ length: 300 }, () => rig.cloud.create(rig.claim({ spec: { requirements: [ON_DEMAND] } }))),
    ),
  );
  expect(new Set(claims.map(({ status }) => status?.providerID)).size).toBe(300);
  expect(rig.fleets.map(({ TargetCapacitySpecification: target }) => target?.TotalTargetCapacity)).toEqual([300]);
  const { LaunchTemplateConfigs: templates = [] } = rig.fleets[0] ?? {};
  expect(rig.aws.calls.inputs('createLaunchTemplate')).toHaveLength(templates.length);
});

test('falling back to on demand with few types is told in the log only', async () => {
  for (const zone of ['a', 'b', 'c'])
    rig.unavailableOfferings.markUnavailable('c5.large', `us-west-2${zone}`, 'spot', { reason: '' });
  const both = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand', 'spot'] };
  const claim = await launch(both, types('c5.large'));
  expect(claim.metadata.labels?.['karpenter.sh/capacity-type']).toBe('on-demand');
  expect(rig.logged).toEqual(['failed while checking on-demand fallback']);
});

describe('an instance', () => {
  let id: string;
  const get = (skipCache = false) => rig.finish(rig.instances.get(id, { skipCache }));
  const describes = () => rig.aws.calls.inputs('describeInstances').length;
  beforeEach(async () => {
    id = idOf((await launch(SPOT, types('m5.large'))).status?.providerID);
  });

  test('is asked for once, and again when what is known does not do', async () => {
    expect(await get()).toMatchObject({
      id,
      state: 'running',
      type: 'm5.large',
      zone: 'us-west-2a',
      zoneID: 'usw2-az1',
      capacityType: 'spot',
      tenancy: 'default',
      securityGroupIDs: ['sg-test1', 'sg-test2'],
      subnetID: 'subnet-test1',
      efaCount: 0,
    });
    await get();
    expect(describes()).toBe(1);
    await get(true);
    expect(describes()).toBe(2);
    expect(rig.aws.calls.inputs('describeInstances')[0]).toMatchObject({
      InstanceIds: [id],
      Filters: [
        { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
      ],
    });
  });

  test('20: that EC2 refuses to tell of or to tag is not taken for gone', async () => {
    rig.aws.calls.forbid('describeInstances');
    const unseen = await failure(get());
    expect([causeOf(unseen, NodeClaimNotFoundError), String(unseen)]).toEqual([
      undefined,
      expect.stringContaining('failed to describe ec2 instances'),
    ]);
    rig.aws.calls.forbid('createTags');
    const untagged = await failure(rig.instances.createTags(id, {}));
    expect([causeOf(untagged, NodeClaimNotFoundError), String(untagged)]).toEqual([
      undefined,
      expect.stringContaining('tagging instance'),
    ]);
  });

  test.each([
    ['is terminated', () => rig.aws.cloud.terminate(id)],
    ['EC2 has forgotten', () => rig.aws.cloud.instances.delete(id)],
  ])('that %s is not found, nor known any longer', async (_which, end) => {
    await get();
    end();
    for (const skipCache of [true, false]) {
      expect(causeOf(await failure(get(skipCache)), NodeClaimNotFoundError)).toBeDefined();
    }
  });

  test('is in the list by the tags of its cluster, with all that is not terminated', async () => {
    const other = idOf((await launch(ON_DEMAND, types('m5.large'))).status?.providerID);
    rig.aws.cloud.stop(other);
    const foreign = idOf((await launch(ON_DEMAND, types('m5.large'))).status?.providerID);
    const stranger = rig.aws.cloud.instances.get(foreign);
    if (stranger) stranger.data.Tags = [{ Key: 'karpenter.sh/nodepool', Value: 'pool' }];
    rig.aws.cloud.pageLimit = 1;
    expect((await rig.instances.list()).map((instance) => [instance.id, instance.state])).toEqual([
      [id, 'running'],
      [other, 'stopped'],
    ]);
    expect(rig.aws.calls.inputs('describeInstances')[0]).toEqual({
      MaxResults: 1000,
      Filters: [
        { Name: 'tag-key', Values: ['karpenter.sh/nodepool'] },
        { Name: 'tag-key', Values: ['karpenter.k8s.aws/ec2nodeclass'] },
        { Name: 'tag:eks:eks-cluster-name', Values: ['test-cluster'] },
        { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
      ],
    });
    const before = describes();
    await rig.finish(rig.instances.get(other));
    expect(describes()).toBe(before);
  });

  test('that is no longer in the list is forgotten', async () => {
    await get();
    rig.aws.cloud.terminate(id);
    expect(await rig.instances.list()).toEqual([]);
    expect(causeOf(await failure(get()), NodeClaimNotFoundError)).toBeDefined();
  });

  test('is terminated once', async () => {
    rig.aws.cloud.durations.shuttingDown = 60_000;
    await rig.finish(rig.instances.delete(id));
    await rig.finish(rig.instances.delete(id));
    expect(rig.aws.calls.inputs('terminateInstances')).toEqual([{ InstanceIds: [id] }]);
    await rig.clock.advance(60_000);
    expect(causeOf(await failure(rig.instances.delete(id)), NodeClaimNotFoundError)).toBeDefined();
  });

  test('that can not be terminated is counted', async () => {
    rig.aws.calls.forbid('terminateInstances');
    await failure(rig.instances.delete(id));
    expect(rig.metrics.of('cloudprovider_instance_termination_failures_total')).toEqual([
      { zone: 'us-west-2a', zone_id: 'usw2-az1' },
    ]);
  });

  test('takes tags, and is not found when it is gone', async () => {
    await rig.instances.createTags(id, { Name: 'node' });
    expect(await get()).toMatchObject({ tags: { Name: 'node', 'karpenter.sh/nodepool': 'pool' } });
    rig.aws.cloud.instances.delete(id);
    expect(causeOf(await failure(rig.instances.createTags(id, {})), NodeClaimNotFoundError)).toBeDefined();
  });

  test('in a zone that is shifted away is left alone, and what was known of it stays', async () => {
    await get();
    rig.shiftedZones.add('usw2-az1');
    const before = rig.aws.calls.all.length;
    expect(await get(true)).toMatchObject({ id });
    const where = `instance ${id} is in zonally shifted availability zone us-west-2a (usw2-az1)`;
    expect(await failure(rig.instances.delete(id))).toEqual(new Error(`${where}, skipping termination`));
    expect(await failure(rig.instances.createTags(id, {}))).toEqual(new Error(`${where}, skipping tag creation`));
    expect(rig.aws.calls.all).toHaveLength(before);
    rig.aws.cloud.instances.delete(id);
    expect(await rig.instances.list()).toEqual([]);
    expect(await get()).toMatchObject({ id });
  });
});

describe('a reserved instance', () => {
  const RESERVED = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] } as const;
  const reserve = async (count: number) => {
    rig.reserve({ AvailableInstanceCount: count, TotalInstanceCount: count });
    await rig.start({ spec: { capacityReservationSelectorTerms: [{ id: 'cr-1' }] } });
  };

  test('takes from the reservation, and gives back when it is gone', async () => {
    await reserve(2);
    const claim = await launch(RESERVED);
    expect(claim.metadata.labels).toMatchObject({
      'karpenter.sh/capacity-type': 'reserved',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
      'karpenter.k8s.aws/capacity-reservation-type': 'default',
      'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
    });
    expect(rig.capacityReservations.availableInstanceCount('cr-1')).toBe(1);
    await rig.finish(rig.cloud.delete(claim));
    await failure(rig.cloud.delete(claim));
    expect(rig.capacityReservations.availableInstanceCount('cr-1')).toBe(2);
  });

  test('is seen as one by what it was launched with, and as on demand once it is out of its reservation', async () => {
    await reserve(2);
    const id = idOf((await launch(RESERVED)).status?.providerID);
    const get = () => rig.finish(rig.instances.get(id, { skipCache: true }));
    expect(await get()).toMatchObject({
      capacityType: 'reserved',
      capacityReservation: { id: 'cr-1', type: 'default', interruptible: false },
    });
    delete rig.aws.cloud.instances.get(id)?.data.CapacityReservationId;
    expect(await get()).toMatchObject({ capacityType: 'on-demand' });
  });

  test('that the reservation has no room for closes the reservation, not the offering', async () => {
    await reserve(1);
    const [reservation] = rig.aws.cloud.capacityReservations;
    if (reservation) reservation.AvailableInstanceCount = 0;
    const error = await failure(launch(RESERVED));
    expect(causeOf(error, InsufficientCapacityError)?.message).toContain('ReservationCapacityExceeded');
    expect(rig.capacityReservations.availableInstanceCount('cr-1')).toBe(0);
    expect(zones('m5.large', 'reserved')).toEqual([false, false, false]);
  });

  test('one that landed in an open reservation by chance stays on demand', async () => {
    rig = new LaunchRig({ reservedCapacity: false });
    await reserve(1);
    const [reservation] = rig.aws.cloud.capacityReservations;
    if (reservation) reservation.InstanceMatchCriteria = 'open';
    const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2b'] };
    const id = idOf((await launch(ON_DEMAND, types('m5.large'), zone)).status?.providerID);
    expect(rig.aws.cloud.instances.get(id)?.data.CapacityReservationId).toBe('cr-1');
    expect((await rig.finish(rig.instances.get(id))).capacityType).toBe('on-demand');
  });
});

describe('a spread placement group', () => {
  test('that is full in a zone closes that zone to it, and to nothing else', async () => {
    rig.aws.cloud.placementGroups.push({
      GroupId: 'pg-1',
      GroupName: 'spread',
      Strategy: 'spread',
      State: 'available',
    });
    await rig.start({ spec: { placementGroupSelector: { name: 'spread' } } });
    const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a'] };
    for (let count = 0; count < 7; count++) await launch(ON_DEMAND, zone, types('m5.large'));
    const error = await failure(launch(ON_DEMAND, zone, types('m5.large', 'c5.large')));
    expect(causeOf(error, InsufficientCapacityError)).toBeDefined();
    const scoped = (name: string) =>
      rig.unavailableOfferings.isUnavailable(name, 'us-west-2a', [], 'on-demand', { placementGroupID: 'pg-1' });
    expect(['m5.large', 'c5.large'].map(scoped)).toEqual([true, true]);
    expect(zones('m5.large', 'on-demand')).toEqual([false, false, false]);
  });
});
