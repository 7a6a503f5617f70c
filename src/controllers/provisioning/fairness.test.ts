import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, snapshot } from '../../../test/expectations/index.ts';
import { nodePool, requesting, unschedulablePod } from '../../../test/factories/index.ts';
import { Events, NodePools, Pods } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';
import type { PassDeadline } from './provisioner.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
});
afterEach(async () => await env.close());

/** A pass has time for so many pods. */
const timeFor =
  (pods: number): PassDeadline =>
  () => {
    let tried = 0;
    return () => ++tried >= pods;
  };
const pending = (name: string, cpu: string) => unschedulablePod({ metadata: { name }, spec: requesting({ cpu }) });
const toldTo = async (pod: string) =>
  (await env.client.list(Events)).items.filter((e) => e.involvedObject.name === pod).map((e) => e.message);
const sample = async (name: string) =>
  (await metrics.text()).body.split('\n').filter((line) => line.startsWith(`karpenter_${name}`));

test('a pod that comes after many hopeless ones gets its turn in the next pass', async () => {
  env.startOperator({}, { passDeadline: timeFor(2) });
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, ...[1, 2, 3, 4].map((i) => pending(`huge-${i}`, '5000')), pending('small', '1'));
  await env.clock.advance(1500);
  expect((await snapshot(env)).claims).toEqual([]);
  const { claims } = await eventually(env, (now) => now.claims.length > 0, 3000);
  expect(claims.map((claim) => claim.spec.resources?.requests?.cpu)).toEqual(['1']);
});

test('nobody is passed over twice while others are tried again', async () => {
  env.startOperator({}, { passDeadline: timeFor(1) });
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, ...[1, 2, 3, 4, 5].map((i) => pending(`huge-${i}`, `${6000 - i}`)));
  await env.clock.advance(6500);
  for (const i of [1, 2, 3, 4, 5]) expect((await toldTo(`huge-${i}`)).join()).toMatch(/Failed to schedule pod/);
});

test('a pod that was not reached is told its place, and is counted until it is', async () => {
  env.startOperator({}, { passDeadline: timeFor(2), metrics });
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, ...[1, 2, 3].map((i) => pending(`huge-${i}`, '5000')), pending('small', '1'));
  await env.clock.advance(1500);
  expect(await toldTo('small')).toEqual([
    'Pod was not tried yet, the scheduling pass ran out of time; place 2 of 2 in the next one',
  ]);
  const undecided = 'pods_provisioning_scheduling_undecided_time_seconds{';
  expect((await sample(undecided)).at(-1)).toContain('name="small",namespace="default"');
  expect(await sample('scheduler_queue_depth')).toEqual([
    'karpenter_scheduler_queue_depth{controller="provisioner",scheduling_id="1"} 4',
  ]);

  await env.clock.advance(1000);
  expect(await sample(undecided)).toEqual([]);
  expect(await sample('pods_scheduling_decision_duration_seconds_count')).toEqual([
    'karpenter_pods_scheduling_decision_duration_seconds_count 4',
  ]);
});
