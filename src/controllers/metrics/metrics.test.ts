import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running, sample, samples } from '../../../test/expectations/index.ts';
import { deployment, node, nodePool, pod, requesting, unschedulablePod } from '../../../test/factories/index.ts';
import { Deployments, NodePools, Nodes, Pods } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
});
afterEach(async () => await env.close());

const ON_DEMAND = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }] as const;
const pool = () =>
  nodePool({
    metadata: { name: 'p' },
    spec: { limits: { cpu: '100', memory: '1Ti' }, template: { spec: { requirements: [...ON_DEMAND] } } },
  });
const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true };
const sized = (cpu: string, limit: string) => ({
  containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu }, limits: { cpu: limit } } }],
});

describe('9.7: what is scraped is the cluster as it is then:', () => {
  test('9.7: nodes with what their pods ask for and may use, daemons among them', async () => {
    env.startOperator({}, { metrics });
    await applied(env, Nodes, node({ metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } } }));
    await applied(env, Nodes, node({ metadata: { name: 'empty' } }));
    await patched(env, Nodes, 'n', {
      status: { capacity: { cpu: '5' }, allocatable: { 'ephemeral-storage': '1500m' } },
    });
    const on = (spec: object, metadata = {}) => pod({ metadata, spec: { ...spec, nodeName: 'n' } });
    await applied(env, Pods, on(sized('1', '2')), on(sized('500m', '1'), { ownerReferences: [daemon] }));
    await env.clock.advance(1000);

    const of = async (name: string, resource: string) =>
      await sample(metrics, `karpenter_nodes_${name}`, { node_name: 'n', resource_type: resource });
    expect(await of('total_pod_requests', 'cpu')).toBe(1.5);
    expect(await of('total_pod_limits', 'cpu')).toBe(3);
    expect(await of('total_daemon_requests', 'cpu')).toBe(0.5);
    expect(await of('total_daemon_limits', 'cpu')).toBe(1);
    expect(await of('total_pod_requests', 'pods')).toBe(2);
    expect(await of('allocatable', 'cpu')).toBe(4);
    const [labelled] = await samples(metrics, 'karpenter_nodes_current_lifetime_seconds', { node_name: 'n' });
    expect(labelled).toMatchObject({ value: 1, labels: { zone: 'z', managed: 'false', nodepool: '', phase: '' } });
    expect(await samples(metrics, 'karpenter_nodes_total_pod_requests', { node_name: 'empty' })).toEqual([]);
    expect(await sample(metrics, 'karpenter_cluster_utilization_percent', { resource_type: 'cpu' })).toBe(18.75);

    await env.client.delete(Nodes, { name: 'n' });
    await env.clock.advance(1000);
    expect(await samples(metrics, 'karpenter_nodes_allocatable', { node_name: 'n' })).toEqual([]);
  });

  test('9.7: pools with their limits, what their status says they use, and what they cost', async () => {
    env.startCluster();
    env.startOperator({}, { metrics });
    await applied(env, NodePools, pool(), nodePool({ metadata: { name: 'foreign' }, spec: foreign }));
    const [made] = await applied(env, Deployments, deployment(3));
    await eventually(env, (now) => running(now) === 3);
    await env.clock.advance(5000);

    const of = async (name: string, resource?: string) =>
      await sample(metrics, `karpenter_nodepools_${name}`, {
        nodepool: 'p',
        ...(resource ? { resource_type: resource } : {}),
      });
    expect(await of('limit', 'cpu')).toBe(100);
    expect(await of('limit', 'memory')).toBe(2 ** 40);
    expect(await of('usage', 'cpu')).toBe(4);
    expect(await of('usage', 'nodes')).toBe(1);
    expect(await of('cost_total')).toBeCloseTo(0.1086, 4);
    expect(await samples(metrics, 'karpenter_nodepools_cost_total', { nodepool: 'foreign' })).toEqual([]);
    const created = { nodepool: 'p', reason: 'provisioned', min_values_relaxed: 'false' };
    expect(await sample(metrics, 'karpenter_nodeclaims_created_total', created)).toBe(1);

    await patched(env, Deployments, made?.metadata.name ?? '', { spec: { replicas: 0 } });
    await eventually(env, (now) => now.nodes.length === 0, 120_000);
    await env.clock.advance(6000);
    expect(await of('usage', 'cpu')).toBe(0);
    expect(await of('usage', 'ephemeral_storage')).toBe(0);
    expect(await of('cost_total')).toBe(0);
    const empty = { decision: 'delete', reason: 'empty', consolidation_type: 'empty' };
    expect(await sample(metrics, 'karpenter_voluntary_disruption_decisions_total', empty)).toBe(1);
  });

  test('9.7: every pod with its node, until it is gone', async () => {
    env.startCluster();
    env.startOperator({}, { metrics });
    await applied(env, NodePools, pool());
    const [made] = await applied(env, Deployments, deployment(1));
    await eventually(env, (now) => running(now) === 1);
    const [only] = await samples(metrics, 'karpenter_pods_state');
    expect(only).toMatchObject({
      value: 1,
      labels: {
        namespace: 'default',
        nodepool: 'p',
        capacity_type: 'on-demand',
        arch: expect.stringMatching(/amd64|arm64/),
        phase: 'Running',
        scheduled: 'true',
        ready: 'true',
        managed: 'true',
      },
    });
    expect(only?.labels.owner).toMatch(/^\/apis\/apps\/v1\/namespaces\/default\/replicasets\/deployment-/);
    await patched(env, Deployments, made?.metadata.name ?? '', { spec: { replicas: 0 } });
    await eventually(env, (now) => now.pods.length === 0);
    expect(await samples(metrics, 'karpenter_pods_state')).toEqual([]);
  });
});

const foreign = {
  template: { spec: { nodeClassRef: { group: 'else.where', kind: 'NodeClass', name: 'x' }, requirements: [] } },
};

describe('9.7: a pod', () => {
  const waits = async () => {
    const of = async (name: string) => await sample(metrics, `karpenter_pods_${name}_time_seconds`, { name: 'a' });
    return {
      unbound: await of('unbound'),
      unstarted: await of('unstarted'),
      placedUnbound: await of('provisioning_unbound'),
      placedUnstarted: await of('provisioning_unstarted'),
      undecided: await of('provisioning_scheduling_undecided'),
    };
  };

  test('9.7: that waits is measured by what it waits for', async () => {
    env.startOperator({}, { metrics });
    await applied(env, Pods, unschedulablePod({ metadata: { name: 'a' }, spec: requesting({ cpu: '1' }) }));
    await env.clock.advance(500);
    expect(await waits()).toEqual({
      unbound: 0.5,
      unstarted: 0.5,
      placedUnbound: undefined,
      placedUnstarted: undefined,
      undecided: 0.5,
    });
    await applied(env, NodePools, pool());
    await env.clock.advance(20_000);
    const placed = await waits();
    expect(placed).toMatchObject({ unbound: 20.5, unstarted: 20.5, undecided: undefined });
    expect(placed.placedUnbound).toBeGreaterThan(5);
    expect(placed.placedUnstarted).toBe(placed.placedUnbound);

    const status = (conditions: object[], phase: string) =>
      env.client.patch(
        Pods,
        { name: 'a', namespace: 'default' },
        { type: 'merge', body: { status: { phase, conditions } } },
        { subresource: 'status' },
      );
    const since = (type: string, at: number) => ({
      type,
      status: 'True',
      lastTransitionTime: new Date(at).toISOString().replace('.000', ''),
    });
    const bound = since('PodScheduled', Math.ceil(env.clock.now() / 1000) * 1000);
    await status([bound], 'Pending');
    await env.clock.advance(500);
    expect(await waits()).toMatchObject({ unbound: undefined, placedUnbound: undefined, unstarted: 21 });
    await env.clock.advance(3000);
    await status([bound, since('Ready', Math.floor(env.clock.now() / 1000) * 1000)], 'Running');
    await env.clock.advance(100);
    expect(Object.values(await waits())).toEqual([undefined, undefined, undefined, undefined, undefined]);
    for (const name of ['bound', 'startup', 'provisioning_bound', 'provisioning_startup'])
      expect([name, await sample(metrics, `karpenter_pods_${name}_duration_seconds_count`)]).toEqual([name, 1]);
    expect(await sample(metrics, 'karpenter_pods_bound_duration_seconds_sum')).toBe(21);
    expect(await sample(metrics, 'karpenter_pods_startup_duration_seconds_sum')).toBe(24);
  });

  test('9.7: that goes while it waits, or was ready before we came, or ends before it is ready, is not measured', async () => {
    const ready = [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] as const;
    await applied(env, Pods, pod({ status: { phase: 'Running', conditions: ready } }));
    env.startOperator({}, { metrics });
    await applied(
      env,
      Pods,
      unschedulablePod({ metadata: { name: 'a' } }),
      unschedulablePod({ metadata: { name: 'b' } }),
    );
    await env.clock.advance(500);
    expect(await samples(metrics, 'karpenter_pods_unstarted_time_seconds')).toHaveLength(2);
    await env.client.delete(Pods, { name: 'a', namespace: 'default' }, { gracePeriodSeconds: 0 });
    const failed = { type: 'merge', body: { status: { phase: 'Failed' } } } as const;
    await env.client.patch(Pods, { name: 'b', namespace: 'default' }, failed, { subresource: 'status' });
    await env.clock.advance(500);
    expect(await samples(metrics, 'karpenter_pods_unstarted_time_seconds')).toEqual([]);
    expect(await samples(metrics, 'karpenter_pods_unbound_time_seconds')).toEqual([]);
    expect(await sample(metrics, 'karpenter_pods_startup_duration_seconds_count')).toBe(0);
    expect(await sample(metrics, 'karpenter_pods_bound_duration_seconds_count')).toBe(0);
  });
});

test('9.9: nothing is measured of single pods, nodes and pools when that is turned off', async () => {
  env.startOperator({ disableClusterStateObservability: true }, { metrics });
  await applied(env, NodePools, pool());
  await applied(env, Nodes, node());
  await applied(env, Pods, unschedulablePod());
  await env.clock.advance(2000);
  for (const name of ['pods_state', 'pods_unbound_time_seconds', 'nodes_allocatable', 'nodepools_limit'])
    expect(await samples(metrics, `karpenter_${name}`)).toEqual([]);
  expect(await sample(metrics, 'karpenter_cluster_state_node_count')).toBe(2);
});

test('11.2.14: whether decisions may be taken, and on how many nodes', async () => {
  env.startOperator({}, { metrics });
  expect(await sample(metrics, 'karpenter_cluster_state_synced')).toBe(0);
  await env.clock.advance(1000);
  expect(await sample(metrics, 'karpenter_cluster_state_synced')).toBe(1);
  expect(await sample(metrics, 'karpenter_cluster_state_unsynced_time_seconds')).toBe(0);
  await applied(env, Nodes, node(), node());
  await env.clock.advance(100);
  expect(await sample(metrics, 'karpenter_cluster_state_node_count')).toBe(2);
});
