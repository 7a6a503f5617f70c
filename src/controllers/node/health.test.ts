import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventsSoFar, eventually, snapshot } from '../../../test/expectations/index.ts';
import { nodeClaim, pod } from '../../../test/factories/index.ts';
import { NodeClaims, Nodes, Pods } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startOperator({ featureGates: { ...DEFAULT_FEATURE_GATES, NodeRepair: true } });
});
afterEach(async () => await env.close());

async function startNodes(count: number): Promise<readonly string[]> {
  await applied(env, NodeClaims, ...Array.from({ length: count }, () => nodeClaim()));
  const { nodes } = await eventually(env, (now) => now.nodes.length === count);
  await env.clock.advance(1000);
  const names = nodes.map((node) => node.metadata.name);
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

test('a node that has been sick for ten minutes is replaced, protected pods and all', async () => {
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

test('one that recovers in time stays', async () => {
  const [name = ''] = await startNodes(5);
  await report(name, 'False');
  await env.clock.advance(300_000);
  await report(name, 'True');
  await env.clock.advance(600_000);
  expect((await snapshot(env)).nodes).toHaveLength(5);
});

test('when more than a fifth is sick nothing is replaced, and the nodes say so', async () => {
  const names = await startNodes(5);
  for (const name of names.slice(0, 2)) await report(name, 'False');
  await env.clock.advance(900_000);
  expect((await snapshot(env)).nodes).toHaveLength(5);
  expect(await eventsSoFar(env)).toContain('Node NodeRepairBlocked');
});
