import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running } from '../../../test/expectations/index.ts';
import { deployment, nodePool } from '../../../test/factories/index.ts';
import { Deployments, NodePools } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';
import { nodeLabelNames } from './node-labels.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

/** Lines of one metric, each `{labels} value`. */
async function linesOf(metrics: PromMetrics, name: string): Promise<readonly string[]> {
  const { body } = await metrics.text();
  return body
    .split('\n')
    .filter((line) => line.startsWith(`karpenter_${name}{`))
    .map((line) => line.slice(`karpenter_${name}`.length));
}

test('what is scraped is the cluster as it is then: nodes, pools and pods come and go', async () => {
  const metrics = new PromMetrics(nodeLabelNames(env.kwok()));
  env.startOperator({}, { metrics });
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }] as const;
  const spec = { limits: { cpu: '100' }, template: { spec: { requirements: [...requirements] } } };
  await applied(env, NodePools, nodePool({ metadata: { name: 'p' }, spec }));
  const [made] = await applied(env, Deployments, deployment(3));
  await eventually(env, (now) => running(now) === 3);

  expect(await linesOf(metrics, 'nodepools_limit')).toEqual(['{nodepool="p",resource_type="cpu"} 100']);
  expect(await linesOf(metrics, 'nodepools_usage')).toContain('{nodepool="p",resource_type="cpu"} 4');
  expect(await linesOf(metrics, 'nodepools_cost_total')).toEqual(['{nodepool="p"} 0.108589934592']);
  const allocatable = await linesOf(metrics, 'nodes_allocatable');
  const cpu = allocatable.find((line) => line.includes('resource_type="cpu"')) ?? '';
  expect(cpu).toMatch(/ 3\.9$/);
  for (const label of [
    'nodepool="p"',
    'instance_type="c-4x-amd64-linux"',
    'capacity_type="on-demand"',
    'instance_cpu="4"',
  ]) {
    expect(cpu).toContain(label);
  }
  expect(await linesOf(metrics, 'pods_state')).toHaveLength(3);
  expect((await linesOf(metrics, 'nodeclaims_created_total')).join()).toMatch(/reason="provisioned".* 1$/);

  const { body } = await metrics.text();
  expect(body).toContain('karpenter_pods_bound_duration_seconds_count 3');
  expect(body).toContain('karpenter_pods_startup_duration_seconds_count 3');

  await patched(env, Deployments, made?.metadata.name ?? '', { spec: { replicas: 0 } });
  await eventually(env, (now) => now.nodes.length === 0, 120_000);
  expect(await linesOf(metrics, 'nodes_allocatable')).toEqual([]);
  expect(await linesOf(metrics, 'nodepools_cost_total')).toEqual(['{nodepool="p"} 0']);
  expect(await linesOf(metrics, 'pods_state')).toEqual([]);
  const decisions = await linesOf(metrics, 'voluntary_disruption_decisions_total');
  expect(decisions.join()).toContain('{decision="delete",reason="empty",consolidation_type="empty"} 1');
});
