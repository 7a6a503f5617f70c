import { afterEach, beforeEach, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running, snapshot } from '../../../test/expectations/index.ts';
import { deployment, nodePool, type Overrides, pod } from '../../../test/factories/index.ts';
import { alteredClient } from '../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import type { Client } from '../../kube/client.ts';
import { ApiError } from '../../kube/errors.ts';
import { Deployments, NodeClaims, NodePools, Pods } from '../../kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';

const STATIC = { featureGates: { ...DEFAULT_FEATURE_GATES, StaticCapacity: true } };

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

async function staticPool(replicas: number, spec: Overrides<NodePool['spec']> = {}): Promise<string> {
  const requirements = [{ key: 'karpenter.kwok.sh/instance-cpu', operator: 'In', values: ['4'] }] as const;
  const template = { spec: { requirements: [...requirements] } };
  const [made] = await applied(env, NodePools, nodePool({ spec: { replicas, template, ...spec } }));
  return made?.metadata.name ?? '';
}
const size = (name: string, replicas: number) => patched(env, NodePools, name, { spec: { replicas } });

test('7.14.1: the pool has as many nodes as it says, with or without pods', async () => {
  env.startOperator(STATIC);
  const name = await staticPool(3);
  await eventually(env, (now) => now.nodes.length === 3);
  await size(name, 5);
  await eventually(env, (now) => now.nodes.length === 5);
  await size(name, 1);
  await eventually(env, (now) => now.nodes.length === 1);
  await env.clock.advance(120_000);
  expect((await snapshot(env)).nodes).toHaveLength(1);
});

test('7.14.1: a node that is deleted is made anew', async () => {
  env.startOperator(STATIC);
  await staticPool(2);
  const { claims } = await eventually(env, (now) => now.nodes.length === 2);
  const gone = claims[0]?.metadata.name ?? '';
  await env.client.delete(NodeClaims, { name: gone });
  const now = await eventually(env, (s) => s.nodes.length === 2 && !s.claims.some((c) => c.metadata.name === gone));
  expect(now.claims).toHaveLength(2);
});

test('7.14.1: it never grows beyond its limit, nor for pending pods', async () => {
  env.startOperator(STATIC);
  await staticPool(5, { limits: { nodes: '2' } });
  await applied(env, Deployments, deployment(20));
  await env.clock.advance(120_000);
  expect((await snapshot(env)).claims).toHaveLength(2);
});

test('7.14.2: shrinking takes empty nodes first', async () => {
  env.startOperator(STATIC);
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

test('7.8.1: drift replaces its nodes one for one', async () => {
  env.startOperator(STATIC);
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

test('7.14.1: a pool that grows while its nodes are being replaced gets all it lacks at once', async () => {
  env.startOperator(STATIC);
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

const allNew = (count: number) => (now: Awaited<ReturnType<typeof snapshot>>) =>
  now.claims.length === count && now.claims.every((c) => c.metadata.labels?.v === '2' && c.status?.nodeName);
const drift = (name: string) =>
  patched(env, NodePools, name, { spec: { template: { metadata: { labels: { v: '2' } } } } });

test('7.1.4: one node that can not be marked does not keep the others of its pool', async () => {
  let stuck: string | undefined;
  const client = env.api.client('karpenter');
  const patch: Client['patch'] = async (resource, ref, body, ...rest) => {
    if (ref.name === stuck && JSON.stringify(body.body).includes('karpenter.sh/disrupted')) {
      throw new ApiError({ code: 503 });
    }
    return await client.patch(resource, ref, body, ...rest);
  };
  env.startOperator(STATIC, { client: alteredClient(client, { patch }) });
  const name = await staticPool(3);
  const { nodes } = await eventually(env, (now) => now.claims.filter((c) => c.status?.nodeName).length === 3);
  stuck = nodes[0]?.metadata.name;
  await drift(name);
  const fresh = (now: Awaited<ReturnType<typeof snapshot>>) => now.claims.filter((c) => c.metadata.labels?.v === '2');
  const now = await eventually(env, (s) => s.claims.length === 3 && fresh(s).length === 2, 120_000);
  expect(now.nodes.map((n) => n.metadata.name)).toContain(stuck);
  stuck = undefined;
  await eventually(env, allNew(3), 120_000);
});

test('7.14.2: shrinking takes what has not been launched, then what is cheapest to move, protected pods last', async () => {
  const kwok = env.kwok();
  let sold = 4;
  const create: CloudProvider['create'] = async (...args) => {
    if (sold-- <= 0) throw new Error('try later');
    return await kwok.create(...args);
  };
  env.startOperator(STATIC, { cloud: alteredCloud(kwok, { create }) });
  const name = await staticPool(5, { disruption: { budgets: [{ nodes: '0' }] } });
  const { nodes } = await eventually(env, (now) => now.nodes.length === 4 && now.claims.length === 5);
  const [empty, dear, cheap, kept] = nodes.map((n) => n.metadata.name);
  const on = (nodeName: string | undefined, annotations: Record<string, string> = {}) =>
    pod({ metadata: { annotations }, spec: { ...(nodeName ? { nodeName } : {}) } });
  await applied(env, Pods, on(dear), on(dear), on(cheap), on(kept, { 'karpenter.sh/do-not-disrupt': 'true' }));
  await env.clock.advance(5000);
  const left = async (replicas: number): Promise<readonly string[]> => {
    await size(name, replicas);
    const now = await eventually(env, (s) => s.claims.length === replicas);
    return now.nodes.map((n) => n.metadata.name).sort();
  };
  const sorted = (...names: (string | undefined)[]) => names.map(String).sort();
  expect(await left(4)).toEqual(sorted(empty, dear, cheap, kept));
  expect(await left(3)).toEqual(sorted(dear, cheap, kept));
  expect(await left(2)).toEqual(sorted(dear, kept));
  expect(await left(1)).toEqual(sorted(kept));
});

test('7.14.3: at its limit a pool replaces nothing, and a node that goes counts until it is gone', async () => {
  env.startOperator(STATIC);
  const name = await staticPool(2, { limits: { nodes: '2' } });
  const { claims, nodes } = await eventually(env, (now) => now.claims.filter((c) => c.status?.nodeName).length === 2);
  await drift(name);
  await env.clock.advance(60_000);
  expect((await snapshot(env)).claims.map((c) => c.metadata.name)).toEqual(claims.map((c) => c.metadata.name));
  const [going] = claims;
  const nodeName = nodes.find((n) => n.metadata.name === going?.status?.nodeName)?.metadata.name ?? '';
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const [held] = await applied(env, Pods, pod({ metadata: { annotations }, spec: { nodeName } }));
  await env.client.delete(NodeClaims, { name: going?.metadata.name ?? '' });
  await env.clock.advance(60_000);
  expect((await snapshot(env)).claims).toHaveLength(2);
  await env.client.delete(Pods, { name: held?.metadata.name ?? '', namespace: 'default' });
  await eventually(env, (now) => now.claims.some((c) => c.metadata.labels?.v === '2'), 120_000);
});

test('7.14.3: a pool that grows and drifts at once stays within its limit, however slow the API', async () => {
  const client = env.api.client('karpenter');
  let slow = false;
  const create: Client['create'] = async (resource, ...rest) => {
    if (slow && resource.plural === 'nodeclaims') await env.clock.sleep(15_000);
    return await client.create(resource, ...rest);
  };
  env.startOperator(STATIC, { client: alteredClient(client, { create }) });
  const name = await staticPool(3, { limits: { nodes: '5' } });
  await eventually(env, (now) => now.claims.filter((c) => c.status?.nodeName).length === 3);
  slow = true;
  await patched(env, NodePools, name, { spec: { replicas: 4, template: { metadata: { labels: { v: '2' } } } } });
  let most = 0;
  await eventually(
    env,
    (now) => {
      most = Math.max(most, now.claims.length);
      return allNew(4)(now) === true;
    },
    600_000,
  );
  expect(most).toBe(5);
});

test('7.8.1: a node whose replacement can not be created counts as before, and is tried again', async () => {
  const client = env.api.client('karpenter');
  let failures = 3;
  let armed = false;
  const create: Client['create'] = async (resource, ...rest) => {
    if (armed && resource.plural === 'nodeclaims' && failures-- > 0) throw new ApiError({ code: 503 });
    return await client.create(resource, ...rest);
  };
  env.startOperator(STATIC, { client: alteredClient(client, { create }) });
  const name = await staticPool(2, { limits: { nodes: '3' } });
  await eventually(env, (now) => now.claims.filter((c) => c.status?.nodeName).length === 2);
  armed = true;
  await drift(name);
  await eventually(env, () => failures <= 0, 120_000);
  await eventually(env, allNew(2), 300_000);
});

test('7.14.2: pods that have ended make no node worth keeping', async () => {
  env.startOperator(STATIC);
  const name = await staticPool(2, { disruption: { budgets: [{ nodes: '0' }] } });
  const { nodes } = await eventually(env, (now) => now.nodes.length === 2);
  const [finished, busy] = nodes.map((n) => n.metadata.name);
  const done = { spec: { nodeName: finished ?? '' }, status: { phase: 'Succeeded' } } as const;
  // Cheaper to move than the other, if that counted.
  const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-67108864' };
  await applied(env, Pods, pod(done), pod({ metadata: { annotations }, spec: { nodeName: busy ?? '' } }));
  await env.clock.advance(5000);
  await size(name, 1);
  const now = await eventually(env, (s) => s.nodes.length === 1);
  expect(now.nodes[0]?.metadata.name).toBe(busy);
});
