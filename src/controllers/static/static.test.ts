import { afterEach, beforeEach, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running, snapshot } from '../../../test/expectations/index.ts';
import { deployment, nodePool, type Overrides } from '../../../test/factories/index.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { Deployments, NodeClaims, NodePools } from '../../kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';

const STATIC = { featureGates: { ...DEFAULT_FEATURE_GATES, StaticCapacity: true } };

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
  env.startOperator(STATIC);
});
afterEach(async () => await env.close());

async function staticPool(replicas: number, spec: Overrides<NodePool['spec']> = {}): Promise<string> {
  const requirements = [{ key: 'karpenter.kwok.sh/instance-cpu', operator: 'In', values: ['4'] }] as const;
  const template = { spec: { requirements: [...requirements] } };
  const [made] = await applied(env, NodePools, nodePool({ spec: { replicas, template, ...spec } }));
  return made?.metadata.name ?? '';
}
const size = (name: string, replicas: number) => patched(env, NodePools, name, { spec: { replicas } });

test('the pool has as many nodes as it says, with or without pods', async () => {
  const name = await staticPool(3);
  await eventually(env, (now) => now.nodes.length === 3);
  await size(name, 5);
  await eventually(env, (now) => now.nodes.length === 5);
  await size(name, 1);
  await eventually(env, (now) => now.nodes.length === 1);
  await env.clock.advance(120_000);
  expect((await snapshot(env)).nodes).toHaveLength(1);
});

test('a node that is deleted is made anew', async () => {
  await staticPool(2);
  const { claims } = await eventually(env, (now) => now.nodes.length === 2);
  const gone = claims[0]?.metadata.name ?? '';
  await env.client.delete(NodeClaims, { name: gone });
  const now = await eventually(env, (s) => s.nodes.length === 2 && !s.claims.some((c) => c.metadata.name === gone));
  expect(now.claims).toHaveLength(2);
});

test('it never grows beyond its limit, nor for pending pods', async () => {
  await staticPool(5, { limits: { nodes: '2' } });
  await applied(env, Deployments, deployment(20));
  await env.clock.advance(120_000);
  expect((await snapshot(env)).claims).toHaveLength(2);
});

test('shrinking takes empty nodes first', async () => {
  const name = await staticPool(3);
  await eventually(env, (now) => now.nodes.length === 3);
  await applied(env, Deployments, deployment(1));
  const { pods } = await eventually(env, (now) => running(now) === 1);
  await size(name, 1);
  const now = await eventually(env, (s) => s.nodes.length === 1);
  expect(now.pods.map((pod) => [pod.metadata.name, pod.spec.nodeName])).toEqual(
    pods.map((pod) => [pod.metadata.name, now.nodes[0]?.metadata.name]),
  );
});

test('drift replaces its nodes one for one', async () => {
  const name = await staticPool(2);
  const before = await eventually(env, (now) => now.claims.filter((c) => c.status?.nodeName).length === 2);
  await patched(env, NodePools, name, { spec: { template: { metadata: { labels: { v: '2' } } } } });
  const after = await eventually(
    env,
    (now) => now.claims.length === 2 && now.claims.every((c) => c.metadata.labels?.v === '2' && c.status?.nodeName),
    300_000,
  );
  const old = new Set(before.claims.map((c) => c.metadata.uid));
  expect(after.claims.some((c) => old.has(c.metadata.uid))).toBe(false);
});

test('a pool that grows while its nodes are being replaced gets all it lacks at once', async () => {
  const name = await staticPool(2);
  await eventually(env, (now) => now.claims.filter((c) => c.status?.nodeName).length === 2);
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '20s' } });
  await patched(env, NodePools, name, { spec: { template: { metadata: { labels: { v: '2' } } } } });
  await eventually(env, (now) => now.claims.length === 4);
  await size(name, 6);
  await eventually(env, (now) => now.claims.length === 8, 10_000);
  const settled = (now: Awaited<ReturnType<typeof snapshot>>) =>
    now.claims.length === 6 && now.claims.every((c) => c.metadata.labels?.v === '2' && c.status?.nodeName);
  expect((await eventually(env, settled, 300_000)).nodes).toHaveLength(6);
});
