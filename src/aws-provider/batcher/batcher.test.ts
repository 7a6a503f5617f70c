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

test('sizes and times of batches are measured', async () => {
  const metrics = new CountedMetrics();
  const batcher = new CreateFleetBatcher({ ...deps(), metrics });
  const answers = Promise.all([batcher.createFleet(request()), batcher.createFleet(request())]);
  await clock.advance(35);
  await answers;
  expect(metrics.observed('cloudprovider_batcher_batch_size')).toEqual([2]);
  expect(metrics.observed('cloudprovider_batcher_batch_time_seconds')).toEqual([0.035]);
});
