/** What upstream's end-to-end specs of chaos ask for (test/suites/regression/chaos_test.go), on virtual time. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Node } from '../../src/kube/objects.ts';
import { Deployments, NodePools, Nodes } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied } from '../expectations/index.ts';
import { deployment, nodePool } from '../factories/index.ts';

const TAINT = { key: 'test', value: 'true', effect: 'NoExecute' };
const MOST_NODES = 35;
const TIMEOUT_MS = 60_000;

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** Puts a taint that nobody tolerates on every node as soon as it comes. */
async function taintAll(signal: AbortSignal): Promise<void> {
  for await (const { type, object } of env.client.watch<Node>(Nodes, {}, signal)) {
    if (type !== 'ADDED') continue;
    const body = [{ op: 'add', path: '/spec/taints/-', value: TAINT }];
    await env.client.patch(Nodes, { name: object.metadata.name }, { type: 'json', body });
  }
}

test.each([
  ['consolidation', { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' }, 'spot'],
  ['emptiness', { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' }, 'on-demand'],
] as const)(
  'nodes that no pod can stay on do not pile up under %s',
  async (_, policy, capacityType) => {
    const stop = new AbortController();
    const tainting = taintAll(stop.signal).catch(() => undefined);
    env.startCluster();
    env.startOperator();
    const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] }] as const;
    const disruption = { ...policy, budgets: [{ nodes: '100%' }] };
    await applied(env, NodePools, nodePool({ spec: { disruption, template: { spec: { requirements } } } }));
    await applied(
      env,
      Deployments,
      deployment(1, { spec: { template: { spec: { terminationGracePeriodSeconds: 0 } } } }),
    );
    const counts: number[] = [];
    for (let second = 0; second < 150; second++) {
      await env.clock.advance(1000);
      counts.push((await env.client.list(Nodes)).items.length);
    }
    stop.abort();
    await tainting;
    expect(Math.max(...counts)).toBeGreaterThan(1);
    expect(Math.max(...counts)).toBeLessThan(MOST_NODES);
  },
  TIMEOUT_MS,
);
