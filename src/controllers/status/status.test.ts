import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running, sample, samples } from '../../../test/expectations/index.ts';
import { capacityBuffer, deployment, node, nodePool } from '../../../test/factories/index.ts';
import type { Condition } from '../../kube/objects.ts';
import { CapacityBuffers, Deployments, Events, NodePools, Nodes } from '../../kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
});
afterEach(async () => await env.close());

const told = async (kind: string, reason?: string) =>
  (await env.client.list(Events)).items
    .filter((event) => event.involvedObject.kind === kind && (reason === undefined || event.reason === reason))
    .map((event) => event.message);
const of = async (name: string, labels: Readonly<Record<string, string>>) =>
  await sample(metrics, `operator_${name}`, labels);
const since = (seconds: number) => new Date(env.clock.now() - seconds * 1000).toISOString().replace(/\.\d+/, '');
const setStatus = async (name: string, conditions: readonly Condition[]) =>
  await env.client.patch(
    Nodes,
    { name },
    { type: 'merge', body: { status: { conditions } } },
    { subresource: 'status' },
  );

test('9.8: conditions of claims, and of the pools and nodes they belong to, are counted as they are now', async () => {
  env.startCluster();
  env.startOperator({}, { metrics });
  await applied(env, NodePools, nodePool({ metadata: { name: 'p' } }));
  await applied(env, Deployments, deployment(1));
  const { claims } = await eventually(env, (now) => running(now) === 1);
  await env.clock.advance(60_000);
  const name = claims[0]?.metadata.name ?? '';
  const own = { name, karpenter_sh_nodepool: 'p', karpenter_kwok_sh_kwoknodeclass: 'default', namespace: '' };
  const initialized = { type: 'Initialized', status: 'True', reason: 'Initialized' };
  expect(await of('nodeclaim_status_condition_count', { ...own, ...initialized })).toBe(1);
  expect(await of('nodeclaim_status_condition_current_status_seconds', { ...own, ...initialized })).toBeGreaterThan(50);
  expect(await samples(metrics, 'operator_nodeclaim_status_condition_count', { name, status: 'Unknown' })).toEqual([]);
  const kind = { group: 'karpenter.sh', kind: 'NodeClaim' };
  expect(await of('status_condition_count', { name, ...kind, ...initialized })).toBe(1);
  const all = { name: 'p', type: 'Ready', status: 'True', reason: 'Ready' };
  expect(await of('nodepool_status_condition_count', all)).toBe(1);
  expect(await of('status_condition_count', { ...all, kind: 'NodePool' })).toBe(1);
  const ready = { type: 'Ready', status: 'True', karpenter_sh_nodepool: 'p', karpenter_sh_initialized: 'true' };
  expect(await of('node_status_condition_count', ready)).toBe(1);
  expect(await samples(metrics, 'operator_status_condition_count', { kind: 'Node' })).toEqual([]);
  expect(await told('NodeClaim', 'Initialized')).toEqual([
    'Status condition transitioned, Type: Initialized, Status: Unknown -> True, Reason: Initialized',
  ]);
});

test('9.8: a condition that changes is told and timed, one that came with the object is only counted', async () => {
  env.startOperator({}, { metrics });
  const at = (status: 'True' | 'False', seconds: number, reason: string, message = ''): readonly Condition[] => [
    { type: 'Ready', status, reason, message, lastTransitionTime: since(seconds) },
  ];
  await applied(env, Nodes, node({ metadata: { name: 'n' }, status: { conditions: at('True', 40, 'KubeletReady') } }));
  await env.clock.advance(1000);
  const total = 'node_status_condition_transitions_total';
  expect(await of(total, { type: 'Ready', status: 'True', reason: 'KubeletReady' })).toBe(1);
  expect(await told('Node')).toEqual([]);

  await setStatus('n', at('False', 10, 'KubeletNotReady', 'no network'));
  await env.clock.advance(1000);
  expect(await told('Node')).toEqual([
    'Status condition transitioned, Type: Ready, Status: True -> False, Reason: KubeletNotReady, Message: no network',
  ]);
  expect(await of(total, { type: 'Ready', status: 'False', reason: 'KubeletNotReady' })).toBe(1);
  const timed = { type: 'Ready', status: 'True' };
  expect(await of('node_status_condition_transition_seconds_sum', timed)).toBe(31);
  expect(await of('node_status_condition_transition_seconds_bucket', { ...timed, le: '32' })).toBe(1);
  expect(await of('node_status_condition_count', { name: 'n', type: 'Ready' })).toBe(1);

  await setStatus('n', at('False', 10, 'KubeletStillNotReady', 'no network'));
  await env.clock.advance(1000);
  expect(await told('Node')).toHaveLength(1);
});

test('9.8: the end of an object is told and timed, and nothing of it stays', async () => {
  env.startOperator({}, { metrics });
  await applied(env, NodePools, nodePool({ metadata: { name: 'p', finalizers: ['a/b', 'c/d'] } }));
  await env.clock.advance(1000);
  await env.client.delete(NodePools, { name: 'p' });
  await env.clock.advance(20_000);
  const [ending] = await samples(metrics, 'operator_nodepool_termination_current_time_seconds', { name: 'p' });
  expect(ending?.value).toBeCloseTo(20, 0);
  expect(await of('termination_current_time_seconds', { name: 'p', kind: 'NodePool' })).toBe(ending?.value);
  await patched(env, NodePools, 'p', { metadata: { finalizers: ['c/d'] } });
  await env.clock.advance(1000);
  expect(await told('NodePool', 'Finalized')).toEqual(['Finalized a/b']);
  await patched(env, NodePools, 'p', { metadata: { finalizers: [] } });
  await env.clock.advance(1000);
  expect((await told('NodePool', 'Finalized')).toSorted()).toEqual(['Finalized a/b', 'Finalized c/d']);
  expect(await of('nodepool_termination_duration_seconds_count', {})).toBe(1);
  expect(await of('nodepool_termination_duration_seconds_sum', {})).toBeCloseTo(21, 0);
  expect(await of('termination_duration_seconds_count', { kind: 'NodePool', group: 'karpenter.sh' })).toBe(1);
  for (const name of ['nodepool_status_condition_count', 'nodepool_termination_current_time_seconds'])
    expect(await samples(metrics, `operator_${name}`)).toEqual([]);
});

test('9.8: conditions of capacity buffers are measured while there may be any', async () => {
  env.startOperator({ featureGates: { ...DEFAULT_FEATURE_GATES, CapacityBuffer: true } }, { metrics });
  await applied(env, CapacityBuffers, capacityBuffer({ replicas: 1, podTemplateRef: { name: 'none' } }, 'b'));
  await env.clock.advance(2000);
  const ready = { namespace: 'default', name: 'b', type: 'ReadyForProvisioning', status: 'False' };
  expect(await of('capacitybuffer_status_condition_count', ready)).toBe(1);
  expect(await of('status_condition_count', { ...ready, group: 'autoscaling.x-k8s.io' })).toBe(1);
  expect(await samples(metrics, 'operator_capacitybuffer_status_condition_count', { type: 'Ready' })).toEqual([]);
});

test('9.9: no conditions are measured or told when cluster state is not to be observed', async () => {
  env.startOperator({ disableClusterStateObservability: true }, { metrics });
  await applied(env, NodePools, nodePool({ metadata: { name: 'p' } }));
  await env.clock.advance(2000);
  expect((await env.client.get(NodePools, { name: 'p' })).status?.conditions).not.toEqual([]);
  expect(await samples(metrics, 'operator_nodepool_status_condition_count')).toEqual([]);
  expect(await told('NodePool')).toEqual([]);
});
