import { afterEach, beforeEach, expect, test } from 'vitest';
import { InterruptionBench } from '../../../../../test/aws/interruption-bench.ts';
import { awsError } from '../../../../../test/aws/scripted-api.ts';
import { NodeClaims } from '../../../../kube/resources.ts';
import { formatTimestamp } from '../../../../kube/timestamp.ts';
import { wrappedError } from '../../../aws-api/wrapped-error.ts';
import type { StatusCategory, UnhealthyInstance } from '../../../providers/instance-status/instance-status-provider.ts';
import { InstanceStatusController } from './instance-status.ts';

const HURRY = 'karpenter.sh/nodeclaim-termination-timestamp';

let bench: InterruptionBench;
let unhealthy: readonly UnhealthyInstance[];
let failure: Error | undefined;
let asked: number;

beforeEach(async () => {
  bench = await InterruptionBench.open();
  unhealthy = [];
  failure = undefined;
  asked = 0;
});
afterEach(() => bench.close());

async function start(): Promise<void> {
  const list = async () => {
    asked++;
    if (failure) throw failure;
    return unhealthy;
  };
  const { handler, metrics, logger: log } = bench;
  bench.start(new InstanceStatusController({ instanceStatus: { list }, handler, metrics, log }));
  await bench.env.clock.advance(1000);
}

const failing = (id: string, ...categories: readonly StatusCategory[]): UnhealthyInstance => ({ id, categories });
const counted = (): readonly (string | undefined)[] =>
  bench.metrics.of('interruption_instance_status_unhealthy_total').map(({ category }) => category);

test.each<[StatusCategory, string]>([
  ['InstanceStatus', 'instance_status'],
  ['SystemStatus', 'system_status'],
])('a claim goes without waiting for its pods when a check fails: %s', async (category, kind) => {
  await bench.instance('i-1');
  await bench.instance('i-2');
  unhealthy = [failing('i-1', category)];
  await start();
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect(await bench.isDeleted('i-2')).toBe(false);
  const time = (await bench.claim('i-1'))?.metadata.annotations?.[HURRY] ?? '';
  expect(time).toBe(formatTimestamp(bench.env.clock.now() - 1000));
  expect(bench.told).toEqual([
    'Warning InstanceUnhealthy claim-i-1',
    'Warning InstanceUnhealthy node-i-1',
    'Warning TerminatingOnInterruption claim-i-1',
    'Warning TerminatingOnInterruption node-i-1',
  ]);
  expect(bench.metrics.of('nodeclaims_disrupted_total')).toMatchObject([{ reason: kind }]);
  expect(counted()).toEqual([category]);
});

test('a claim whose host is to be worked on goes in good order', async () => {
  await bench.instance('i-1');
  unhealthy = [failing('i-1', 'EventStatus')];
  await start();
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect((await bench.claim('i-1'))?.metadata.annotations?.[HURRY]).toBeUndefined();
  expect(bench.metrics.of('nodeclaims_disrupted_total')).toMatchObject([{ reason: 'event_status' }]);
});

test('of several categories the hardest one counts, and the claim is deleted once', async () => {
  await bench.instance('i-1');
  unhealthy = [failing('i-1', 'InstanceStatus', 'SystemStatus', 'EventStatus')];
  await start();
  expect((await bench.claim('i-1'))?.metadata.annotations?.[HURRY]).toBeDefined();
  expect(bench.metrics.of('nodeclaims_disrupted_total')).toMatchObject([{ reason: 'instance_status' }]);
  expect(counted()).toEqual(['InstanceStatus', 'SystemStatus', 'EventStatus']);
});

test('a time at which the claim has to be gone stays as it is', async () => {
  const claim = await bench.instance('i-1');
  const body = { metadata: { annotations: { [HURRY]: '2026-01-01T09:00:00Z' } } };
  await bench.env.client.patch(NodeClaims, { name: claim.metadata.name }, { type: 'merge', body });
  unhealthy = [failing('i-1', 'SystemStatus')];
  await start();
  expect(await bench.isDeleted('i-1')).toBe(true);
  expect((await bench.claim('i-1'))?.metadata.annotations?.[HURRY]).toBe('2026-01-01T09:00:00Z');
});

test('an instance is counted once until it recovers', async () => {
  await bench.instance('i-1');
  unhealthy = [failing('i-1', 'EventStatus'), failing('i-9', 'EventStatus')];
  await start();
  await bench.env.clock.advance(120_000);
  expect(asked).toBe(3);
  expect(counted()).toEqual(['EventStatus']);
  unhealthy = [];
  await bench.env.clock.advance(60_000);
  unhealthy = [failing('i-1', 'EventStatus')];
  await bench.env.clock.advance(60_000);
  expect(counted()).toEqual(['EventStatus', 'EventStatus']);
  expect(bench.log.filter((line) => line === 'detected unhealthy instance owned by cluster')).toHaveLength(2);
});

test('without permission it is told once, and EC2 is not asked again', async () => {
  failure = wrappedError('listing', awsError('UnauthorizedOperation', 'You may not.', 403));
  await start();
  await bench.env.clock.advance(3_600_000);
  expect(asked).toBe(1);
  expect(bench.log).toEqual([
    'ec2:DescribeInstanceStatus permission is not allowed, update the IAM policy and restart the Karpenter deployment to enable instance status health checks: listing, You may not.',
  ]);
});

test('after another failure EC2 is asked again, within a minute', async () => {
  await bench.instance('i-1');
  failure = awsError('InternalError', 'EC2 is unwell', 500);
  await start();
  expect(bench.ends[0]?.error).toMatchObject({ message: 'getting instance statuses, EC2 is unwell' });
  await bench.env.clock.advance(3_600_000);
  failure = undefined;
  unhealthy = [failing('i-1', 'SystemStatus')];
  await bench.env.clock.advance(60_000);
  expect(await bench.isDeleted('i-1')).toBe(true);
});
