import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running, sample, samples } from '../../../test/expectations/index.ts';
import { deployment, nodePool } from '../../../test/factories/index.ts';
import { Deployments, NodeClaims, NodePools } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
  env.startCluster();
  env.startOperator({}, { metrics });
});
afterEach(async () => await env.close());

const REQUIREMENTS = [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['test-zone-a'] },
] as const;
const POOL = { nodepool: 'p' };
const ZONE = { ...POOL, zone: 'test-zone-a' };
const of = async (name: string, labels: Readonly<Record<string, string>> = POOL) =>
  await sample(metrics, `karpenter_${name}`, labels);

/** Brings up one node with a pod. */
async function up() {
  const spec = { template: { spec: { requirements: [...REQUIREMENTS] } } };
  await applied(env, NodePools, nodePool({ metadata: { name: 'p' }, spec }));
  const [made] = await applied(env, Deployments, deployment(1));
  const { claims } = await eventually(env, (now) => running(now) === 1);
  return { workload: made?.metadata.name ?? '', claim: claims[0]?.metadata.name ?? '' };
}

describe('11.1: the life of a node', () => {
  test('11.1: one that nobody needs any more is counted as it comes and as it goes', async () => {
    const { workload } = await up();
    expect(await of('nodeclaims_created_total', { ...POOL, reason: 'provisioned', min_values_relaxed: 'false' })).toBe(
      1,
    );
    expect(await of('nodes_created_total', ZONE)).toBe(1);

    await env.clock.advance(1_000_000);
    await patched(env, Deployments, workload, { spec: { replicas: 0 } });
    await eventually(env, (now) => now.nodes.length === 0 && now.claims.length === 0, 120_000);
    expect(await of('nodeclaims_disrupted_total', { ...POOL, reason: 'empty', capacity_type: 'on-demand' })).toBe(1);
    expect(await of('nodeclaims_terminated_total', { ...ZONE, capacity_type: 'on-demand' })).toBe(1);
    expect(await of('nodes_terminated_total', ZONE)).toBe(1);
    expect(await of('nodes_drained_total')).toBe(1);
    for (const name of [
      'nodeclaims_termination',
      'nodeclaims_instance_termination',
      'nodes_termination',
      'nodes_lifetime',
    ])
      expect([name, await of(`${name}_duration_seconds_count`)]).toEqual([name, 1]);
    // It has lived for a little more than a quarter of an hour.
    expect(await of('nodes_lifetime_duration_seconds_bucket', { ...POOL, le: '900' })).toBe(0);
    expect(await of('nodes_lifetime_duration_seconds_bucket', { ...POOL, le: '1800' })).toBe(1);
    const quantiles = await samples(metrics, 'karpenter_nodes_termination_duration_seconds', POOL);
    expect(quantiles.map(({ labels }) => labels.quantile)).toEqual(['0', '0.5', '0.9', '0.99', '1']);
    expect(await samples(metrics, 'karpenter_pods_drained_total')).toEqual([]);
  });

  test('11.1: one that somebody deletes has its pods evicted, and counts as disrupted by nobody', async () => {
    const { claim } = await up();
    await env.client.delete(NodeClaims, { name: claim });
    await eventually(
      env,
      (now) => running(now) === 1 && now.claims.every(({ metadata }) => metadata.name !== claim),
      120_000,
    );
    expect(await of('pods_eviction_requests_total', { code: '200' })).toBe(1);
    expect((await samples(metrics, 'karpenter_pods_drained_total')).map(({ value }) => value)).toEqual([1]);
    expect(await of('nodes_drained_total')).toBe(1);
    expect(await samples(metrics, 'karpenter_nodeclaims_disrupted_total')).toEqual([]);
    expect(await of('nodes_created_total', ZONE)).toBe(2);
  });
});

test('11.3: a decision is counted with its reason and kind, for itself and for each of its pools', async () => {
  const { workload } = await up();
  await patched(env, Deployments, workload, { spec: { replicas: 0 } });
  await eventually(env, (now) => now.nodes.length === 0, 120_000);
  const decision = { decision: 'delete', reason: 'empty', consolidation_type: 'empty' };
  expect(await of('voluntary_disruption_decisions_total', decision)).toBe(1);
  expect(await of('voluntary_disruption_decisions_by_nodepool_total', { ...decision, ...POOL })).toBe(1);
  const kind = { reason: 'empty', consolidation_type: 'empty' };
  expect(await of('voluntary_disruption_decision_evaluation_duration_seconds_count', kind)).toBeGreaterThan(0);
  expect(await of('voluntary_disruption_eligible_nodes', { reason: 'empty' })).toBeDefined();
  expect(await of('nodepools_allowed_disruptions', { ...POOL, reason: 'Empty' })).toBe(1);
  expect(await of('nodepools_nodes_consuming_budgets', { ...POOL, reason: 'Empty' })).toBe(0);
});
