import type { CreateFleetRequest, FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { errorCode } from '../../src/aws-provider/aws-api/error-code.ts';
import { pages } from '../../src/aws-provider/aws-api/pages.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { type FakeAws, fakeAws, poolOf } from './fake-ec2.ts';

type Market = 'on-demand' | 'spot';

async function start(): Promise<FakeAws & { readonly clock: VirtualClock }> {
  const clock = new VirtualClock();
  const aws = fakeAws(clock);
  await aws.apis.ec2.createLaunchTemplate({
    LaunchTemplateName: 'template',
    LaunchTemplateData: { ImageId: 'ami-own', NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-test2'] }] },
  });
  return { ...aws, clock };
}

function override(
  InstanceType: FleetLaunchTemplateOverridesRequest['InstanceType'],
  SubnetId = 'subnet-test1',
  Priority?: number,
): FleetLaunchTemplateOverridesRequest {
  return { InstanceType, SubnetId, ...(Priority !== undefined && { Priority }) };
}

function fleet(
  market: Market,
  count: number,
  ...Overrides: readonly FleetLaunchTemplateOverridesRequest[]
): CreateFleetRequest {
  return {
    Type: 'instant',
    TargetCapacitySpecification: { DefaultTargetCapacityType: market, TotalTargetCapacity: count },
    LaunchTemplateConfigs: [
      { LaunchTemplateSpecification: { LaunchTemplateName: 'template' }, Overrides: [...Overrides] },
    ],
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'a' }] }],
  };
}

const failure = async (call: Promise<unknown>): Promise<string | undefined> =>
  errorCode(await call.catch((error: unknown) => error));

test('a fleet takes the cheapest, or the first by priority, and tells what was sold out', async () => {
  const { apis, cloud } = await start();
  const cheapest = await apis.ec2.createFleet(fleet('on-demand', 1, override('m5.large'), override('c5.large')));
  expect(cheapest.Instances?.map(({ InstanceType }) => InstanceType)).toEqual(['c5.large']);

  const byPriority = fleet(
    'on-demand',
    1,
    override('m5.large', 'subnet-test1', 1),
    override('c5.large', 'subnet-test1', 2),
  );
  const preferred = await apis.ec2.createFleet({
    ...byPriority,
    OnDemandOptions: { AllocationStrategy: 'prioritized' },
  });
  expect(preferred.Instances?.map(({ InstanceType }) => InstanceType)).toEqual(['m5.large']);

  cloud.sellOut('spot', 'm5.large', 'us-west-2a');
  const second = await apis.ec2.createFleet(
    fleet('spot', 1, override('m5.large', 'subnet-test2'), override('m5.large', 'subnet-test1')),
  );
  expect(second.Instances?.[0]?.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone).toBe('us-west-2b');
  expect(second.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual(['InsufficientInstanceCapacity']);
});

test('a fleet is fulfilled in part when its pools end', async () => {
  const { apis, cloud } = await start();
  cloud.capacity.set(poolOf('on-demand', 'm5.large', 'us-west-2a'), 2);
  const answer = await apis.ec2.createFleet(fleet('on-demand', 3, override('m5.large')));
  expect(answer.Instances?.flatMap(({ InstanceIds }) => InstanceIds)).toHaveLength(2);
  expect(answer.Errors).toHaveLength(1);
});

test('instances carry tags, groups and states, and are forgotten after their end', async () => {
  const { apis, clock, cloud } = await start();
  cloud.durations.pending = 5000;
  const { Instances } = await apis.ec2.createFleet(fleet('spot', 1, override('m5.large')));
  const id = Instances?.[0]?.InstanceIds?.[0] ?? '';
  const look = async (...states: string[]) => {
    const filters = [
      { Name: 'tag:team', Values: ['a'] },
      ...(states.length > 0 ? [{ Name: 'instance-state-name', Values: states }] : []),
    ];
    const { Reservations } = await apis.ec2.describeInstances({ InstanceIds: [id], Filters: filters });
    return Reservations?.[0]?.Instances?.[0];
  };
  expect(await look()).toMatchObject({
    State: { Name: 'pending' },
    SecurityGroups: [{ GroupId: 'sg-test2' }],
    SpotInstanceRequestId: expect.stringMatching(/^sir-/),
    Placement: { AvailabilityZone: 'us-west-2a', AvailabilityZoneId: 'usw2-az1' },
  });
  await clock.advance(5000);
  expect((await look())?.State?.Name).toBe('running');
  await apis.ec2.terminateInstances({ InstanceIds: [id] });
  expect((await look())?.State?.Name).toBe('terminated');
  expect(await look('running')).toBeUndefined();
  await clock.advance(3_600_000);
  expect(await failure(look())).toBe('InvalidInstanceID.NotFound');
});

test('lists come in pages of the length that was asked for', async () => {
  const { apis, calls } = await start();
  const names: (string | undefined)[] = [];
  for await (const page of pages(apis.ec2.describeInstanceTypes, { MaxResults: 10 })) {
    names.push(...(page.InstanceTypes ?? []).map(({ InstanceType }) => InstanceType));
  }
  expect(new Set(names).size).toBe(names.length);
  expect(calls.inputs('describeInstanceTypes')).toHaveLength(Math.ceil(names.length / 10));
});

test('calls fail as often as they are told to', async () => {
  const { apis, calls } = await start();
  calls.throttle('describeSubnets');
  expect(await failure(apis.ec2.describeSubnets({}))).toBe('RequestLimitExceeded');
  expect(await failure(apis.ec2.describeSubnets({}))).toBeUndefined();
  calls.forbid('createFleet');
  for (const _ of [1, 2])
    expect(await failure(apis.ec2.createFleet({} as CreateFleetRequest))).toBe('UnauthorizedOperation');
});

test('a message that is not deleted comes back', async () => {
  const { apis, clock, cloud } = await start();
  const queue = cloud.addQueue('interruptions');
  const receive = async () =>
    (await apis.sqs.receiveMessage({ QueueUrl: queue.url, WaitTimeSeconds: 20, VisibilityTimeout: 20 })).Messages ?? [];
  const first = receive();
  await clock.advance(3000);
  queue.send({ source: 'aws.ec2' });
  expect(await first).toMatchObject([{ Body: '{"source":"aws.ec2"}' }]);
  const second = receive();
  await clock.advance(20_000);
  const [again] = await second;
  await apis.sqs.deleteMessage({ QueueUrl: queue.url, ReceiptHandle: again?.ReceiptHandle ?? '' });
  expect(queue.bodies).toEqual([]);
});
