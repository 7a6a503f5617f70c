import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakeQueue } from '../../../../test/aws/fake/queue.ts';
import { type FakeAws, fakeAws } from '../../../../test/aws/fake-ec2.ts';
import { InterruptionBench } from '../../../../test/aws/interruption-bench.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import type { Client } from '../../../kube/client.ts';
import { ApiError } from '../../../kube/errors.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import { SqsProvider } from '../../providers/sqs/sqs-provider.ts';
import { Interruption } from './interruption.ts';

let bench: InterruptionBench;
let aws: FakeAws;
let queue: FakeQueue;

async function open(client?: (base: Client) => Client): Promise<void> {
  bench = await InterruptionBench.open(client);
  aws = fakeAws(bench.env.clock);
  queue = aws.cloud.addQueue('interruptions');
}

async function start(): Promise<void> {
  const { handler, metrics, logger: log, env } = bench;
  const sqs = new SqsProvider({ sqs: aws.apis.sqs, log, queueName: 'interruptions' });
  bench.start(new Interruption({ queue: sqs, handler, clock: env.clock, metrics, log }));
  await env.clock.advance(1000);
}

beforeEach(() => open());
afterEach(() => bench.close());

const message = (detailType: string, detail: object, source = 'aws.ec2'): object => ({
  version: '0',
  source,
  'detail-type': detailType,
  time: new Date(bench.env.clock.now() - 5000).toISOString(),
  detail,
});
const spot = (id: string): object => message('EC2 Spot Instance Interruption Warning', { 'instance-id': id });
const rebalance = (id: string): object => message('EC2 Instance Rebalance Recommendation', { 'instance-id': id });
const state = (id: string, name: string): object =>
  message('EC2 Instance State-change Notification', { 'instance-id': id, state: name });
const health = (...ids: readonly string[]): object =>
  message(
    'AWS Health Event',
    {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      affectedEntities: ids.map((entityValue) => ({ entityValue })),
    },
    'aws.health',
  );
const reservation = (id: string): object =>
  message('EC2 Capacity Reservation Instance Interruption Warning', { 'instance-id': id });

test('a claim goes at once when its spot instance is about to be taken', async () => {
  await bench.instance('i-1');
  await bench.instance('i-2');
  await start();
  queue.send(spot('i-1'));
  await bench.env.clock.advance(100);
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect(await bench.isDeleted('i-2')).toBe(false);
  expect(bench.told).toEqual([
    'Warning SpotInterrupted claim-i-1',
    'Warning SpotInterrupted node-i-1',
    'Warning TerminatingOnInterruption claim-i-1',
    'Warning TerminatingOnInterruption node-i-1',
  ]);
  expect(bench.events.map((event) => event.message)).toEqual([
    'Spot interruption warning was triggered',
    'Spot interruption warning was triggered',
    'Interruption triggered termination for the NodeClaim',
    'Interruption triggered termination for the Node',
  ]);
  expect(bench.marked).toEqual(['spot m5.large us-west-2a: spot_interrupted']);
  expect(queue.bodies).toEqual([]);
  expect(bench.metrics.of('interruption_received_messages_total')).toEqual([{ message_type: 'spot_interrupted' }]);
  expect(bench.metrics.of('interruption_deleted_messages_total')).toEqual([{}]);
  expect(bench.metrics.observed('interruption_message_queue_duration_seconds')).toEqual([5]);
  expect(bench.metrics.of('nodeclaims_disrupted_total')).toEqual([
    { reason: 'spot_interrupted', nodepool: 'web', capacity_type: 'spot' },
  ]);
});

describe('a claim goes', () => {
  test.each<[string, () => object, string, string]>([
    ['when its instance stops', () => state('i-1', 'stopping'), 'instance_stopped', 'InstanceStopping'],
    ['when its instance has stopped', () => state('i-1', 'stopped'), 'instance_stopped', 'InstanceStopping'],
    ['when its instance ends', () => state('i-1', 'shutting-down'), 'instance_terminated', 'InstanceTerminating'],
    ['when its instance has ended', () => state('i-1', 'terminated'), 'instance_terminated', 'InstanceTerminating'],
    ['when its host is to be worked on', () => health('i-0', 'i-1'), 'scheduled_change', 'InstanceUnhealthy'],
    [
      'when its reservation is taken back',
      () => reservation('i-1'),
      'capacity_reservation_interrupted',
      'CapacityReservationInstanceInterrupted',
    ],
  ])('%s', async (_, body, kind, reason) => {
    await bench.instance('i-1', { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' });
    await start();
    queue.send(body());
    await bench.env.clock.advance(100);
    expect(await bench.isDeleted('i-1')).toBe(true);
    const { annotations } = (await bench.claim('i-1'))?.metadata ?? {};
    expect(annotations?.['karpenter.sh/nodeclaim-termination-timestamp']).toBeUndefined();
    expect(bench.told.slice(0, 2)).toEqual([`Warning ${reason} claim-i-1`, `Warning ${reason} node-i-1`]);
    expect(bench.metrics.of('nodeclaims_disrupted_total')).toMatchObject([{ reason: kind }]);
    expect(bench.marked).toEqual(kind === 'capacity_reservation_interrupted' ? ['cr-1'] : []);
    expect(queue.bodies).toEqual([]);
  });
});

test('a recommendation to rebalance is told and nothing else', async () => {
  await bench.instance('i-1');
  await start();
  queue.send(rebalance('i-1'));
  await bench.env.clock.advance(100);
  expect(await bench.isDeleted('i-1')).toBe(false);
  expect(bench.told).toEqual([
    'Normal SpotRebalanceRecommendation claim-i-1',
    'Normal SpotRebalanceRecommendation node-i-1',
  ]);
  expect(queue.bodies).toEqual([]);
});

test('messages that are no business of the cluster are deleted', async () => {
  await bench.instance('i-1');
  await start();
  queue.send(spot('i-9'));
  queue.send(state('i-1', 'running'));
  queue.send('');
  await bench.env.clock.advance(100);
  expect(bench.told).toEqual([]);
  expect(await bench.isDeleted('i-1')).toBe(false);
  expect(queue.bodies).toEqual([]);
  expect(bench.metrics.of('interruption_received_messages_total').map((labels) => labels.message_type)).toEqual([
    'spot_interrupted',
    'no_op',
    'no_op',
  ]);
});

test('messages that can not be read are told and deleted, and are none that were received', async () => {
  await start();
  queue.send('hello');
  await bench.env.clock.advance(100);
  expect(queue.bodies).toEqual([]);
  expect(bench.log.filter((line) => line.startsWith('failed parsing interruption message'))).toHaveLength(1);
  expect(bench.metrics.of('interruption_received_messages_total')).toEqual([]);
  expect(bench.metrics.of('interruption_deleted_messages_total')).toEqual([{}]);
});

test('a claim that goes already is not deleted again', async () => {
  await bench.instance('i-1');
  await start();
  await bench.env.client.delete(NodeClaims, { name: 'claim-i-1' });
  await bench.env.clock.advance(100);
  queue.send(state('i-1', 'shutting-down'));
  await bench.env.clock.advance(100);
  expect(bench.told).toEqual(['Warning InstanceTerminating claim-i-1', 'Warning InstanceTerminating node-i-1']);
  expect(bench.metrics.of('nodeclaims_disrupted_total')).toEqual([]);
  expect(queue.bodies).toEqual([]);
});

test('an instance whose node is not there yet has its claim told and deleted', async () => {
  const claim = await bench.instance('i-1');
  await bench.env.client.delete(Nodes, { name: 'node-i-1' });
  await start();
  queue.send(spot('i-1'));
  await bench.env.clock.advance(100);
  expect(bench.told).toEqual([
    `Warning SpotInterrupted ${claim.metadata.name}`,
    `Warning TerminatingOnInterruption ${claim.metadata.name}`,
  ]);
});

test('a message that can not be acted upon comes back, and holds up no other', async () => {
  await bench.close();
  let refusals = 2;
  await open((base) =>
    alteredClient(base, {
      delete: async (resource, ref, ...rest) => {
        if (ref.name === 'claim-i-1' && refusals-- > 0) {
          throw new ApiError({ code: 500, reason: 'InternalError', message: 'the API is unwell' });
        }
        await base.delete(resource, ref, ...rest);
      },
    }),
  );
  await bench.instance('i-1');
  await bench.instance('i-2');
  await start();
  queue.send(spot('i-1'));
  queue.send(spot('i-2'));
  await bench.env.clock.advance(100);
  expect(await bench.isDeleted('i-2')).toBe(true);
  expect(queue.bodies).toEqual([JSON.stringify(spotSentAgo(100))]);
  expect(bench.ends.findLast(({ result }) => result === 'error')?.error).toMatchObject({
    message: 'handling message, acting on NodeClaims, deleting the node on interruption message, the API is unwell',
  });
  await bench.env.clock.advance(20_000);
  expect(await bench.isDeleted('i-1')).toBe(false);
  await bench.env.clock.advance(21_000);
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect(queue.bodies).toEqual([]);
});

const spotSentAgo = (ms: number): object => ({
  ...spot('i-1'),
  time: new Date(bench.env.clock.now() - 5000 - ms).toISOString(),
});

test('messages are read within a second though the queue could not be asked for long', async () => {
  await bench.instance('i-1');
  aws.calls.fail('receiveMessage', awsError('ServiceUnavailable', 'try later', 503));
  await start();
  await bench.env.clock.advance(3_600_000);
  aws.calls.succeed('receiveMessage');
  queue.send(spot('i-1'));
  await bench.env.clock.advance(1000);
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect(bench.ends[0]?.error).toMatchObject({
    message: 'getting messages from queue, receiving sqs messages, try later',
  });
});

test('a queue that is made later is found then', async () => {
  await bench.instance('i-1');
  aws.cloud.queues.delete('interruptions');
  await start();
  await bench.env.clock.advance(60_000);
  expect(bench.ends[0]?.error).toMatchObject({
    message: 'creating sqs provider, The specified queue does not exist.',
  });
  queue = aws.cloud.addQueue('interruptions');
  queue.send(spot('i-1'));
  await bench.env.clock.advance(1000);
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect(bench.log.filter((line) => line === 'watching interruption queue')).toHaveLength(1);
});

test('a queue that is deleted is read again within a second once it is back', async () => {
  await bench.instance('i-1');
  await start();
  aws.cloud.queues.delete('interruptions');
  await bench.env.clock.advance(3_600_000);
  expect(bench.ends.at(-1)?.error).toMatchObject({
    message: 'getting messages from queue, receiving sqs messages, The specified queue does not exist.',
  });
  queue = aws.cloud.addQueue('interruptions');
  queue.send(spot('i-1'));
  await bench.env.clock.advance(1000);
  expect(await bench.isDeleted('i-1')).toBe(true);
});

test('messages that say the same, and one of a quarter of a megabyte, change nothing more', async () => {
  await bench.instance('i-1');
  await start();
  for (let i = 0; i < 25; i++) queue.send(spot('i-1'));
  queue.send({ ...spot('i-1'), padding: 'x'.repeat(250_000) });
  queue.send('x'.repeat(250_000));
  await bench.env.clock.advance(1000);
  expect(queue.bodies).toEqual([]);
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect(bench.metrics.of('nodeclaims_disrupted_total')).toHaveLength(1);
});

test('the queue is asked for ten messages in a long poll, again and again', async () => {
  await start();
  await bench.env.clock.advance(60_000);
  expect(aws.calls.inputs('receiveMessage')).toHaveLength(4);
  expect(aws.calls.inputs('receiveMessage')[0]).toMatchObject({
    QueueUrl: queue.url,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 20,
    WaitTimeSeconds: 20,
  });
});

test('waiting for messages ends at once with the controller', async () => {
  await start();
  const before = bench.env.clock.now();
  await bench.stop();
  expect(bench.env.clock.now()).toBe(before);
});
