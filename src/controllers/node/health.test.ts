import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, snapshot } from '../../../test/expectations/index.ts';
import { nodeClaim, nodePool, pod } from '../../../test/factories/index.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import { CountedMetrics } from '../../../test/support/counted-metrics.ts';
import { Events, NodeClaims, NodePools, Nodes, Pods } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';

let env: TestEnvironment;
let metrics: CountedMetrics;
let kill: () => Promise<void>;
const featureGates = { ...DEFAULT_FEATURE_GATES, NodeRepair: true };

/** Beside what the fake cloud repairs, one condition with half its time. */
function start(): void {
  const kwok = env.kwok();
  const deadlock = { conditionType: 'KernelDeadlock', conditionStatus: 'True', tolerationDurationMs: 300_000 } as const;
  const repairPolicies = () => [...kwok.repairPolicies(), deadlock];
  ({ kill } = env.startOperator({ featureGates }, { cloud: alteredCloud(kwok, { repairPolicies }), metrics }));
}

beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new CountedMetrics();
  start();
});
afterEach(async () => await env.close());

/** Claims with healthy nodes; answers the names of the nodes that are new. `total` is how many there are then. */
async function startNodes(
  count: number,
  metadata: object = {},
  total = count,
  spec: object = {},
): Promise<readonly string[]> {
  const before = new Set((await snapshot(env)).nodes.map((node) => node.metadata.name));
  await applied(env, NodeClaims, ...Array.from({ length: count }, () => nodeClaim({ metadata, spec })));
  const { nodes } = await eventually(env, (now) => now.nodes.length === total);
  await env.clock.advance(1000);
  const names = nodes.map((node) => node.metadata.name).filter((name) => !before.has(name));
  for (const name of names) await report(name, 'True');
  return names;
}

async function report(name: string, status: string): Promise<void> {
  const conditions = [{ type: 'Ready', status, reason: 'Test', lastTransitionTime: formatTimestamp(env.clock.now()) }];
  await env.client.patch(
    Nodes,
    { name },
    { type: 'merge', body: { status: { conditions } } },
    { subresource: 'status' },
  );
}

test('9.1: a node that has been sick for ten minutes is replaced, protected pods and all', async () => {
  const [sick = '', ...others] = await startNodes(5);
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  await applied(
    env,
    Pods,
    pod({ metadata: { annotations }, spec: { nodeName: sick, terminationGracePeriodSeconds: 0 } }),
  );
  await report(sick, 'Unknown');
  await env.clock.advance(599_000);
  expect((await snapshot(env)).nodes).toHaveLength(5);
  const now = await eventually(env, ({ nodes }) => nodes.length === 4, 30_000);
  expect(now.nodes.map((node) => node.metadata.name).sort()).toEqual([...others].sort());
});

test('9.1: one that recovers in time stays', async () => {
  const [name = ''] = await startNodes(5);
  await report(name, 'False');
  await env.clock.advance(300_000);
  await report(name, 'True');
  await env.clock.advance(600_000);
  expect((await snapshot(env)).nodes).toHaveLength(5);
});

const blocked = async (name: string): Promise<readonly (string | undefined)[]> =>
  (await env.client.list(Events)).items
    .filter((event) => event.reason === 'NodeRepairBlocked' && event.involvedObject.name === name)
    // The same words again are counted on the event that is there.
    .flatMap(({ message, count = 1 }) => Array(count).fill(message));

test('9.1: when more than a fifth of a pool is sick nothing is replaced, and the node says so for each object concerned', async () => {
  await applied(
    env,
    NodePools,
    nodePool({ metadata: { name: 'web' }, spec: { disruption: { budgets: [{ nodes: '0' }] } } }),
  );
  const names = await startNodes(6, { labels: { 'karpenter.sh/nodepool': 'web' } });
  const healthy = await startNodes(6, {}, 12);
  for (const name of names.slice(0, 3)) await report(name, 'False');
  await env.clock.advance(650_000);
  expect((await snapshot(env)).nodes).toHaveLength(names.length + healthy.length);
  const [sick = '', second = ''] = names;
  expect(await blocked(sick)).toEqual(Array(3).fill('more than 20% nodes are unhealthy in the nodepool'));
  // Two of six are as many as a fifth, rounded up.
  await report(second, 'True');
  await eventually(env, ({ claims }) => claims.length < names.length + healthy.length, 310_000);
});

test('9.1: a claim without a pool counts the nodes of the whole cluster', async () => {
  const names = await startNodes(5);
  for (const name of names.slice(0, 2)) await report(name, 'False');
  await env.clock.advance(900_000);
  expect((await snapshot(env)).nodes).toHaveLength(5);
  expect(new Set(await blocked(names[0] ?? ''))).toEqual(new Set(['more then 20% nodes are unhealthy in the cluster']));
});

test('9.1: what is repaired is counted, and its pods go at once', async () => {
  const [sick = ''] = await startNodes(5, {}, 5, { terminationGracePeriod: '1h' });
  await patched(env, Nodes, sick, { metadata: { finalizers: ['example.com/keep', 'karpenter.sh/termination'] } });
  await report(sick, 'Unknown');
  await env.clock.advance(601_000);
  const leaving = (await snapshot(env)).claims.find((claim) => claim.metadata.deletionTimestamp);
  const due = leaving?.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'] ?? '';
  expect(Date.parse(due)).toBeLessThanOrEqual(env.clock.now());
  expect(metrics.of('nodeclaims_disrupted_total')).toMatchObject([{ reason: 'unhealthy', nodepool: '' }]);
  expect(metrics.of('nodeclaims_unhealthy_disrupted_total')).toMatchObject([{ condition: 'ready', image_id: '' }]);
});

test('9.1: of several conditions the one whose time is up first decides', async () => {
  const [sick = ''] = await startNodes(5);
  const at = formatTimestamp(env.clock.now());
  const conditions = [
    { type: 'Ready', status: 'False', lastTransitionTime: at },
    { type: 'KernelDeadlock', status: 'True', lastTransitionTime: at },
  ];
  await env.client.patch(
    Nodes,
    { name: sick },
    { type: 'merge', body: { status: { conditions } } },
    { subresource: 'status' },
  );
  await env.clock.advance(295_000);
  expect((await snapshot(env)).nodes).toHaveLength(5);
  await eventually(env, ({ nodes }) => nodes.length === 4, 30_000);
  expect(metrics.of('nodeclaims_unhealthy_disrupted_total')).toMatchObject([{ condition: 'kernel_deadlock' }]);
});

test('9.1: a controller that starts again finds the nodes that have been sick for long', async () => {
  const [sick = ''] = await startNodes(5);
  await report(sick, 'False');
  await env.clock.advance(300_000);
  await kill();
  await env.clock.advance(3_600_000);
  start();
  await eventually(env, ({ nodes }) => nodes.length === 4, 30_000);
});
