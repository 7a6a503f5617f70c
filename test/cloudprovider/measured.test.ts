/** How long calls of the provider take, and which fail (docs/karpenter-core.md section 11). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
} from '../../src/cloudprovider/errors.ts';
import { MeasuredCloudProvider } from '../../src/cloudprovider/measured-cloud-provider.ts';
import { NodePools, Pods } from '../../src/kube/resources.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, eventually } from '../expectations/index.ts';
import { nodeClaim, nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { alteredCloud } from '../support/altered-cloud.ts';
import { CountedMetrics } from '../support/counted-metrics.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

test.each([
  ['InsufficientCapacityError', new InsufficientCapacityError('no room')],
  ['NodeClaimNotFoundError', new Error('wrapped', { cause: new NodeClaimNotFoundError('gone') })],
  ['NodeClassNotReadyError', new NodeClassNotReadyError('wait')],
  ['', new Error('something else')],
])('an error counts as %s, and comes through', async (kind, error) => {
  const clock = new VirtualClock();
  const metrics = new CountedMetrics();
  const failing = alteredCloud(env.kwok(env.client), {
    get: async () => {
      await clock.sleep(2500);
      throw error;
    },
  });
  const cloud = new MeasuredCloudProvider({ cloud: failing, clock, metrics, controller: () => 'some.controller' });
  const outcome = cloud.get('aws:///a/i-1').catch((caught: unknown) => caught);
  await clock.advance(2500);
  expect(await outcome).toBe(error);
  const labels = { controller: 'some.controller', method: 'Get', provider: 'kwok' };
  expect(metrics.of('cloudprovider_errors_total')).toEqual([{ ...labels, error: kind }]);
  expect(metrics.of('cloudprovider_duration_seconds')).toEqual([labels]);
  expect(metrics.observed('cloudprovider_duration_seconds')).toEqual([2.5]);
});

test('every method is measured, also a launch among given types', async () => {
  const metrics = new CountedMetrics();
  const kwok = env.kwok(env.client);
  const cloud = new MeasuredCloudProvider({ cloud: kwok, clock: env.clock, metrics, controller: () => '' });
  const claim = nodeClaim({ metadata: { name: 'c' } });
  const pool = nodePool({ metadata: { name: 'p' } });
  await Promise.allSettled([
    cloud.create(claim),
    cloud.createAmong?.(claim, await kwok.getInstanceTypes(pool)),
    cloud.delete(claim),
    cloud.get('kwok://none'),
    cloud.list(),
    cloud.getInstanceTypes(pool),
    cloud.isDrifted(claim),
  ]);
  expect(
    metrics
      .of('cloudprovider_duration_seconds')
      .map(({ method }) => method)
      .sort(),
  ).toEqual(['Create', 'Create', 'Delete', 'Get', 'GetInstanceTypes', 'IsDrifted', 'List']);
});

test('calls are told by the controller that makes them', async () => {
  const metrics = new CountedMetrics();
  env.startOperator({}, { metrics, measuresProvider: true });
  await applied(env, NodePools, nodePool({ metadata: { name: 'p' } }));
  await applied(env, Pods, unschedulablePod({ spec: requesting({ cpu: '1' }) }));
  await eventually(env, ({ claims }) => claims.some(({ status }) => status?.providerID));
  const callers = new Map(
    metrics.of('cloudprovider_duration_seconds').map(({ method = '', controller }) => [method, controller]),
  );
  expect(callers.get('Create')).toBe('nodeclaim.lifecycle');
  expect(callers.get('GetInstanceTypes')).toBeTruthy();
});
