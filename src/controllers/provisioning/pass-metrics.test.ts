import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, sample, samples } from '../../../test/expectations/index.ts';
import { nodePool, requesting, unschedulablePod } from '../../../test/factories/index.ts';
import { NodePools, Pods } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
  env.startOperator({}, { metrics });
});
afterEach(async () => await env.close());

const PROVISIONER = { controller: 'provisioner' };
const of = async (name: string, labels: Readonly<Record<string, string>> = PROVISIONER) =>
  await sample(metrics, `karpenter_scheduler_${name}`, labels);
const asking = (cpu: string, nodeSelector: Readonly<Record<string, string>> = {}) =>
  unschedulablePod({ spec: { ...requesting({ cpu }), nodeSelector } });

test('11.2.13: a pass tells the zones of the pods that wait, those it found no place for and those it ignored', async () => {
  const inA = { 'topology.kubernetes.io/zone': 'test-zone-a' };
  await applied(env, NodePools, nodePool());
  await applied(
    env,
    Pods,
    asking('1', inA),
    asking('1'),
    asking('9000'),
    asking('1', { 'karpenter.sh/nodepool': 'x' }),
  );
  await applied(env, Pods, asking('1', { 'kubernetes.io/hostname': 'mine' }));
  await env.clock.advance(2000);
  const zone = 'pending_pods_by_effective_zone_count';
  expect(await of(zone, { ...PROVISIONER, zone: 'test-zone-a' })).toBe(1);
  expect(await of(zone, { ...PROVISIONER, zone: 'flexible' })).toBe(3);
  expect(await of('unschedulable_pods_count')).toBe(2);
  expect(await of('ignored_pods_count', {})).toBe(1);
});

test('11.2.12: the depth of the queue is that of the last pass, which has a name of its own', async () => {
  await applied(env, NodePools, nodePool());
  expect(await samples(metrics, 'karpenter_scheduler_queue_depth')).toEqual([]);
  await applied(env, Pods, asking('9000'));
  await env.clock.advance(2000);
  const [first] = await samples(metrics, 'karpenter_scheduler_queue_depth');
  await applied(env, Pods, asking('9000'));
  await env.clock.advance(2000);
  const [second, ...others] = await samples(metrics, 'karpenter_scheduler_queue_depth');
  expect([first?.value, second?.value, others]).toEqual([1, 2, []]);
  expect(second?.labels.scheduling_id).not.toBe(first?.labels.scheduling_id);
});

test('11.2.11: a pass is timed once for its packing and once for all of it', async () => {
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, asking('1'));
  await env.clock.advance(2000);
  expect(await of('scheduling_duration_seconds_count')).toBe(2);
});

test('11.2.15: the time until the first answer is measured once for each pod', async () => {
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, asking('9000'), asking('1'));
  await env.clock.advance(30_000);
  expect(await sample(metrics, 'karpenter_pods_scheduling_decision_duration_seconds_count')).toBe(2);
  expect(await sample(metrics, 'karpenter_pods_scheduling_decision_duration_seconds_sum')).toBeCloseTo(2, 0);
});

test('11.3.19: consolidation that has never run out of time is counted as zero', async () => {
  for (const consolidation_type of ['multi', 'single']) {
    const name = 'karpenter_voluntary_disruption_consolidation_timeouts_total';
    expect(await sample(metrics, name, { consolidation_type })).toBe(0);
  }
});
