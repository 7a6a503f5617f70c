import type { CreateFleetRequest } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeAws, fakeAws, poolOf } from '../../../test/aws/fake-ec2.ts';
import { awsError, scriptedApi } from '../../../test/aws/scripted-api.ts';
import { CountedMetrics } from '../../../test/support/counted-metrics.ts';
import { SILENT } from '../../logging/logger.ts';
import { NO_METRICS } from '../../metrics/metrics.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import type { Ec2Api } from '../aws-api/apis.ts';
import { errorCode } from '../aws-api/error-code.ts';
import { CreateFleetBatcher } from './create-fleet.ts';
import { DescribeInstancesBatcher } from './describe-instances.ts';
import { TerminateInstancesBatcher } from './terminate-instances.ts';

let clock: VirtualClock;
let aws: FakeAws;

beforeEach(async () => {
  clock = new VirtualClock();
  aws = fakeAws(clock);
  await aws.apis.ec2.createLaunchTemplate({ LaunchTemplateName: 'lt', LaunchTemplateData: { ImageId: 'ami-own' } });
});

const deps = () => ({ clock, metrics: NO_METRICS, log: SILENT, ec2: aws.apis.ec2 });

function request(InstanceType: 'm5.large' | 'c5.large' = 'm5.large'): CreateFleetRequest {
  return {
    Type: 'instant',
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'lt' },
        Overrides: [{ InstanceType, SubnetId: 'subnet-test1' }],
      },
    ],
  };
}

async function launch(count: number): Promise<readonly string[]> {
  const answer = await aws.apis.ec2.createFleet({
    ...request(),
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'on-demand' },
  });
  return (answer.Instances ?? []).flatMap(({ InstanceIds = [] }) => InstanceIds);
}

describe('fleets', () => {
  test('equal requests become one for as many instances, and each gets its own', async () => {
    const batcher = new CreateFleetBatcher(deps());
    const answers = Promise.all(
      [request(), request(), request('c5.large'), request()].map((r) => batcher.createFleet(r)),
    );
    await clock.advance(35);
    const ids = (await answers).map(({ Instances }) => Instances?.flatMap(({ InstanceIds }) => InstanceIds));
    expect(ids.map((list) => list?.length)).toEqual([1, 1, 1, 1]);
    expect(new Set(ids.flat()).size).toBe(4);
    const sent = aws.calls.inputs<CreateFleetRequest>('createFleet');
    expect(sent.map((input) => input.TargetCapacitySpecification?.TotalTargetCapacity)).toEqual([3, 1]);
  });

  test('the window closes 35 ms after the last request, and a second after the first', async () => {
    const batcher = new CreateFleetBatcher(deps());
    const sent = () => aws.calls.inputs('createFleet').length;
    void batcher.createFleet(request());
    await clock.advance(34);
    void batcher.createFleet(request());
    await clock.advance(34);
    expect(sent()).toBe(0);
    await clock.advance(1);
    expect(sent()).toBe(1);

    for (let passed = 0; passed < 990; passed += 30) {
      void batcher.createFleet(request());
      await clock.advance(30);
    }
    expect(sent()).toBe(1);
    await clock.advance(10);
    expect(sent()).toBe(2);
  });

  test('whoever got no instance is told the errors of the fleet', async () => {
    aws.cloud.capacity.set(poolOf('on-demand', 'm5.large', 'us-west-2a'), 1);
    const batcher = new CreateFleetBatcher(deps());
    const answers = Promise.all([request(), request()].map((r) => batcher.createFleet(r)));
    await clock.advance(35);
    const [first, second] = await answers;
    expect(first?.Instances).toHaveLength(1);
    expect(second).toEqual({ Errors: [expect.objectContaining({ ErrorCode: 'InsufficientInstanceCapacity' })] });
  });

  test('a fleet that gives too few without a word is an error too', async () => {
    const { api } = scriptedApi<Pick<Ec2Api, 'createFleet'>>({ createFleet: async () => ({ Instances: [] }) });
    const batcher = new CreateFleetBatcher({ ...deps(), ec2: api });
    const answer = batcher.createFleet(request());
    await clock.advance(35);
    expect(await answer).toEqual({
      Errors: [{ ErrorCode: 'too few instances returned', ErrorMessage: 'too few instances returned' }],
    });
  });

  test('an error of the call goes to all, and only single instances can be asked for', async () => {
    aws.calls.throttle('createFleet');
    const batcher = new CreateFleetBatcher(deps());
    const answers = Promise.allSettled([request(), request()].map((r) => batcher.createFleet(r)));
    await clock.advance(35);
    for (const answer of await answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'RequestLimitExceeded' } });
    }
    const two = { TargetCapacitySpecification: { TotalTargetCapacity: 2 } } as CreateFleetRequest;
    await expect(batcher.createFleet(two)).rejects.toThrow('expected to receive a single instance only');
  });

  test('who gives up before the request is sent is left out of it', async () => {
    const batcher = new CreateFleetBatcher(deps());
    const controller = new AbortController();
    const given = batcher.createFleet(request(), controller.signal).catch((error: unknown) => error);
    const kept = batcher.createFleet(request());
    controller.abort(new Error('stopping'));
    expect(await given).toEqual(new Error('stopping'));
    await clock.advance(35);
    await kept;
    expect(aws.cloud.instances.size).toBe(1);
  });
});

test('instances that nobody asked for are told in the log', async () => {
  const logged: unknown[] = [];
  const log = {
    ...SILENT,
    error: (message: string, _error: unknown, fields?: unknown) => logged.push([message, fields]),
  };
  const { api } = scriptedApi<Pick<Ec2Api, 'createFleet'>>({
    createFleet: async () => ({
      FleetId: 'fleet',
      Instances: [{ InstanceIds: ['i-1', 'i-2'], InstanceType: 'm5.large' }],
    }),
  });
  const batcher = new CreateFleetBatcher({ ...deps(), log, ec2: api });
  const answer = batcher.createFleet(request());
  await clock.advance(35);
  expect(await answer).toEqual({ FleetId: 'fleet', Instances: [{ InstanceIds: ['i-1'], InstanceType: 'm5.large' }] });
  expect(logged).toEqual([['received error while batching', { 'instance-id': 'i-2' }]]);
});

describe('looks for instances', () => {
  test('become one list; an unknown id spoils it for nobody else', async () => {
    const [one = '', two = ''] = await launch(2);
    const batcher = new DescribeInstancesBatcher(deps());
    const look = (...ids: string[]) => Promise.allSettled(ids.map((id) => batcher.describeInstance(id, [])));
    const known = look(one, two, one);
    await clock.advance(100);
    expect((await known).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(aws.calls.inputs('describeInstances')).toEqual([{ InstanceIds: [one, two], Filters: [] }]);

    const mixed = look(one, 'i-unknown');
    await clock.advance(100);
    const [first, second] = await mixed;
    expect(first).toMatchObject({ value: [{ InstanceId: one }] });
    expect(second?.status === 'rejected' && errorCode(second.reason)).toBe('InvalidInstanceID.NotFound');
  });

  test('with other filters go apart, and pages are followed', async () => {
    aws.cloud.pageLimit = 1;
    const ids = await launch(3);
    const batcher = new DescribeInstancesBatcher(deps());
    const running = [{ Name: 'instance-state-name', Values: ['running'] }];
    const stopped = [{ Name: 'instance-state-name', Values: ['stopped'] }];
    const all = Promise.all([
      ...ids.map((id) => batcher.describeInstance(id, running)),
      batcher.describeInstance(ids[0] ?? '', stopped),
    ]);
    await clock.advance(100);
    expect((await all).map((found) => found.length)).toEqual([1, 1, 1, 0]);
  });
});

test('a page that can not be had ends the list, and whoever is missing is looked for alone', async () => {
  const asked: unknown[] = [];
  const { api } = scriptedApi<Pick<Ec2Api, 'describeInstances'>>({
    describeInstances: async ({ InstanceIds = [], NextToken }) => {
      asked.push([...InstanceIds, NextToken]);
      if (NextToken) throw awsError('RequestLimitExceeded');
      return {
        Reservations: [{ Instances: [{ InstanceId: InstanceIds[0] }] }],
        ...(InstanceIds.length > 1 && { NextToken: 'more' }),
      };
    },
  });
  const batcher = new DescribeInstancesBatcher({ ...deps(), ec2: api });
  const all = Promise.all(['i-1', 'i-2', 'i-2'].map((id) => batcher.describeInstance(id, [])));
  await clock.advance(100);
  expect((await all).map(([instance]) => instance?.InstanceId)).toEqual(['i-1', 'i-2', 'i-2']);
  expect(asked).toEqual([
    ['i-1', 'i-2', undefined],
    ['i-1', 'i-2', 'more'],
    ['i-2', undefined],
  ]);
});

describe('terminations', () => {
  test('become one; what it did not end is ended alone', async () => {
    const [one = '', two = ''] = await launch(2);
    const batcher = new TerminateInstancesBatcher(deps());
    const all = Promise.allSettled([one, 'i-unknown', two].map((id) => batcher.terminateInstance(id)));
    await clock.advance(100);
    const [first, unknown, third] = await all;
    expect([first, third]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(unknown).toMatchObject({ status: 'rejected', reason: { name: 'InvalidInstanceID.NotFound' } });
    expect(aws.calls.inputs('terminateInstances')).toHaveLength(4);
  });

  test('an instance that goes on running is ended once more', async () => {
    const script = scriptedApi<Pick<Ec2Api, 'terminateInstances'>>({
      terminateInstances: async ({ InstanceIds = [] }) => {
        if (InstanceIds.length === 1) throw awsError('OperationNotPermitted');
        return {
          TerminatingInstances: [
            { InstanceId: 'i-1', CurrentState: { Name: 'shutting-down' } },
            { InstanceId: 'i-2', CurrentState: { Name: 'running' } },
          ],
        };
      },
    });
    const batcher = new TerminateInstancesBatcher({ ...deps(), ec2: script.api });
    const all = Promise.allSettled(['i-1', 'i-2'].map((id) => batcher.terminateInstance(id)));
    await clock.advance(100);
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a window', () => {
  /** What each batcher sends, and how one request is added to it, of which each is another. */
  const batchers = {
    create_fleet: () => {
      const batcher = new CreateFleetBatcher(deps());
      return { call: 'createFleet', add: () => batcher.createFleet(request()) };
    },
    describe_instances: () => {
      const batcher = new DescribeInstancesBatcher(deps());
      return { call: 'describeInstances', add: (at: number) => batcher.describeInstance(`i-${at}`, []) };
    },
    terminate_instances: () => {
      const batcher = new TerminateInstancesBatcher(deps());
      return { call: 'terminateInstances', add: (at: number) => batcher.terminateInstance(`i-${at}`) };
    },
  };

  test.each([
    ['create_fleet', 35, 1000],
    ['describe_instances', 100, 500],
    ['terminate_instances', 100, 500],
  ] as const)('of %s closes after %i idle ms, with %i requests, or after a second', async (name, idleMs, maxItems) => {
    const { call, add } = batchers[name]();
    let at = 0;
    const more = () => void add(at++).catch(() => undefined);
    // What was answered one by one afterwards does not count.
    const sent = () => aws.calls.inputs(call as never).filter((input) => sizeOf(input) > 1).length;
    more();
    more();
    await clock.advance(idleMs - 1);
    expect(sent()).toBe(0);
    await clock.advance(1);
    expect(sent()).toBe(1);

    for (let count = 0; count < maxItems; count++) more();
    await clock.advance(0);
    expect(sent()).toBe(2);

    for (let passed = 0; passed < 1000; passed += idleMs - 10) {
      more();
      await clock.advance(Math.min(idleMs - 10, 999 - passed));
    }
    expect(sent()).toBe(2);
    await clock.advance(1);
    expect(sent()).toBe(3);
  });

  const sizeOf = ({
    TargetCapacitySpecification,
    InstanceIds,
  }: Partial<CreateFleetRequest> & { InstanceIds?: string[] }) =>
    TargetCapacitySpecification?.TotalTargetCapacity ?? InstanceIds?.length ?? 0;

  test('sends a hundred batches at a time at most', async () => {
    let underWay = 0;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { api } = scriptedApi<Pick<Ec2Api, 'describeInstances'>>({
      describeInstances: async () => {
        underWay++;
        await answered;
        return {};
      },
    });
    const batcher = new DescribeInstancesBatcher({ ...deps(), ec2: api });
    const filters = (at: number) => [{ Name: 'tag:number', Values: [String(at)] }];
    const all = Promise.all(Array.from({ length: 101 }, (_, at) => batcher.describeInstance('i-1', filters(at))));
    await clock.advance(100);
    expect(underWay).toBe(100);
    answer();
    await all;
    expect(underWay).toBe(2 * 101);
  });
});

test('sizes and times of batches are measured', async () => {
  const metrics = new CountedMetrics();
  const batcher = new CreateFleetBatcher({ ...deps(), metrics });
  const answers = Promise.all([batcher.createFleet(request()), batcher.createFleet(request())]);
  await clock.advance(35);
  await answers;
  expect(metrics.observed('cloudprovider_batcher_batch_size')).toEqual([2]);
  expect(metrics.observed('cloudprovider_batcher_batch_time_seconds')).toEqual([0.035]);
});
