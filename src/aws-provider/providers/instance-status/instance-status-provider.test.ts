import type { DescribeInstanceStatusRequest, InstanceStatus } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { awsError, scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { isUnauthorizedOperation } from '../../aws-api/error-kinds.ts';
import { InstanceStatusProvider } from './instance-status-provider.ts';

const clock = new VirtualClock();
const failedFor = (seconds: number, status: 'failed' | 'passed' | 'insufficient-data' = 'failed') => ({
  Details: [{ Name: 'reachability' as const, Status: status, ImpairedSince: new Date(clock.now() - seconds * 1000) }],
});

/** One list of pages for each of the three questions. */
async function list(...answers: readonly (readonly InstanceStatus[][])[]) {
  const { api, inputs } = scriptedApi<Pick<Ec2Api, 'describeInstanceStatus'>>({
    describeInstanceStatus: async ({ Filters, NextToken = '0' }: DescribeInstanceStatusRequest) => {
      const names = ['instance-status.status', 'system-status.status', 'event.code'];
      const ofQuestion = answers[names.indexOf(Filters?.[0]?.Name ?? '')] ?? [];
      const page = Number(NextToken);
      return {
        InstanceStatuses: ofQuestion[page] ?? [],
        ...(page + 1 < ofQuestion.length ? { NextToken: `${page + 1}` } : {}),
      };
    },
  });
  const unhealthy = await new InstanceStatusProvider({ ec2: api, clock }).list();
  return { unhealthy, inputs: inputs('describeInstanceStatus') };
}

test('asks for what is impaired and for what is planned, each for itself', async () => {
  const { inputs, unhealthy } = await list();
  expect(unhealthy).toEqual([]);
  expect(inputs).toEqual([
    { Filters: [{ Name: 'instance-status.status', Values: ['impaired'] }] },
    { Filters: [{ Name: 'system-status.status', Values: ['impaired'] }] },
    {
      Filters: [
        {
          Name: 'event.code',
          Values: ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'],
        },
      ],
    },
  ]);
});

test('reads every page, and each instance once', async () => {
  const both = { InstanceId: 'i-1', InstanceStatus: failedFor(300), SystemStatus: failedFor(300) };
  const { unhealthy, inputs } = await list(
    [
      [both],
      [{ InstanceId: 'i-2', InstanceStatus: failedFor(300) }],
      [{ InstanceId: 'i-3', InstanceStatus: failedFor(300) }],
    ],
    [[both]],
    [[], [{ InstanceId: 'i-4', Events: [{ Code: 'instance-stop' }] }]],
  );
  expect(unhealthy).toEqual([
    { id: 'i-1', categories: ['InstanceStatus', 'SystemStatus'] },
    { id: 'i-2', categories: ['InstanceStatus'] },
    { id: 'i-3', categories: ['InstanceStatus'] },
    { id: 'i-4', categories: ['EventStatus'] },
  ]);
  expect(inputs).toHaveLength(6);
});

test('an instance is unhealthy once a check has failed for two minutes', async () => {
  const { unhealthy } = await list([
    [
      { InstanceId: 'i-young', InstanceStatus: failedFor(119) },
      { InstanceId: 'i-old', InstanceStatus: failedFor(120) },
      { InstanceId: 'i-unsure', InstanceStatus: failedFor(300, 'insufficient-data') },
      { InstanceId: 'i-well', InstanceStatus: failedFor(300, 'passed'), SystemStatus: failedFor(10) },
      { InstanceId: 'i-since-when', SystemStatus: { Details: [{ Status: 'failed' }] } },
    ],
  ]);
  expect(unhealthy).toEqual([
    { id: 'i-old', categories: ['InstanceStatus'] },
    { id: 'i-since-when', categories: ['SystemStatus'] },
  ]);
});

test('work that is planned counts at once, whenever it is, and beside checks that are too young', async () => {
  const later = new Date(clock.now() + 7 * 86_400_000);
  const status = {
    InstanceId: 'i-1',
    SystemStatus: failedFor(10),
    Events: [{ Code: 'system-reboot' as const, NotBefore: later }],
  };
  expect((await list([], [], [[status]])).unhealthy).toEqual([{ id: 'i-1', categories: ['EventStatus'] }]);
});

test('volumes are not looked at', async () => {
  const status = { InstanceId: 'i-1', AttachedEbsStatus: failedFor(300) };
  expect((await list([[status]])).unhealthy).toEqual([]);
});

test('a call that is refused is told with its code', async () => {
  const { api } = scriptedApi<Pick<Ec2Api, 'describeInstanceStatus'>>({
    describeInstanceStatus: async () => {
      throw awsError('UnauthorizedOperation', 'You may not.', 403);
    },
  });
  const error: unknown = await new InstanceStatusProvider({ ec2: api, clock })
    .list()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: 'failed describing ec2 instance status checks, You may not.' });
  expect(isUnauthorizedOperation(error)).toBe(true);
});
