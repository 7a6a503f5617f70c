import { afterEach, beforeEach, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running } from '../../../test/expectations/index.ts';
import { deployment, nodeClaim, nodePool, requesting } from '../../../test/factories/index.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../../apis/nodepool-hash.ts';
import { Deployments, NodeClaims, NodePools } from '../../kube/resources.ts';

const HASH = 'karpenter.sh/nodepool-hash';
const VERSION = 'karpenter.sh/nodepool-hash-version';
const OTHER_CLASS = { group: 'example.com', kind: 'OtherNodeClass', name: 'x' };

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const poolNow = async (): Promise<NodePool> => await env.client.get(NodePools, { name: 'web' });
const condition = async (type: string) => (await poolNow()).status?.conditions?.find((c) => c.type === type);

async function setNodeClassStatus(conditions: readonly object[]): Promise<void> {
  const body = { status: { conditions } };
  await env.client.patch(KwokNodeClasses, { name: 'default' }, { type: 'merge', body }, { subresource: 'status' });
  await env.clock.advance(1000);
}

async function start(changes: Parameters<typeof nodePool>[0] = {}): Promise<void> {
  env.startOperator();
  await applied(env, NodePools, nodePool({ metadata: { name: 'web' }, ...changes }));
  await env.clock.advance(1000);
}

test('9.2: a pool carries the hash of its template, and gets a new one when that changes', async () => {
  await start();
  const first = (await poolNow()).metadata.annotations ?? {};
  expect(first).toMatchObject({ [HASH]: nodePoolHash(await poolNow()), [VERSION]: NODEPOOL_HASH_VERSION });
  await patched(env, NodePools, 'web', { spec: { template: { metadata: { labels: { edition: 'two' } } } } });
  await env.clock.advance(1000);
  expect((await poolNow()).metadata.annotations?.[HASH]).not.toBe(first[HASH]);
  expect((await poolNow()).metadata.annotations?.[HASH]).toBe(nodePoolHash(await poolNow()));
});

test('9.2: when the way of hashing changes, claims take the new hash, unless they had drifted or have it already', async () => {
  const metadata = (hash: string, version: string) => ({
    labels: { 'karpenter.sh/nodepool': 'web' },
    annotations: { [HASH]: hash, [VERSION]: version },
  });
  const drifted = { conditions: [{ type: 'Drifted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] };
  const named = (name: string, hash: string, version: string, status = {}) =>
    nodeClaim({ metadata: { name, ...metadata(hash, version) }, status } as never);
  await applied(
    env,
    NodeClaims,
    named('old', 'h1', 'v0'),
    named('drifted', 'h2', 'v0', drifted),
    named('new', 'h3', NODEPOOL_HASH_VERSION),
    nodeClaim({ metadata: { name: 'foreign', ...metadata('h4', 'v0') }, spec: { nodeClassRef: OTHER_CLASS } }),
  );
  await start({ metadata: { name: 'web', annotations: { [HASH]: 'h0', [VERSION]: 'v0' } } });
  const stamps = Object.fromEntries(
    (await env.client.list(NodeClaims)).items.map(({ metadata: { name, annotations = {} } }) => [
      name,
      [annotations[HASH], annotations[VERSION]],
    ]),
  );
  const hash = nodePoolHash(await poolNow());
  expect(stamps).toEqual({
    old: [hash, NODEPOOL_HASH_VERSION],
    drifted: ['h2', NODEPOOL_HASH_VERSION],
    new: ['h3', NODEPOOL_HASH_VERSION],
    foreign: ['h4', 'v0'],
  });
  expect((await poolNow()).metadata.annotations).toMatchObject({ [HASH]: hash, [VERSION]: NODEPOOL_HASH_VERSION });
});

test('9.3: a pool without nodes says that it has nothing of each common resource', async () => {
  await start();
  await env.clock.advance(5000);
  expect((await poolNow()).status).toMatchObject({
    resources: { cpu: '0', memory: '0', pods: '0', 'ephemeral-storage': '0', nodes: '0' },
    nodes: 0,
  });
});

test('9.3: what the pool’s nodes add up to follows within five seconds, without those that are going', async () => {
  env.startCluster();
  await start();
  await applied(env, Deployments, deployment(1, { spec: { template: { spec: requesting({ cpu: '1' }) } } }));
  const { nodes } = await eventually(env, (now) => running(now) === 1);
  await env.clock.advance(5000);
  const { cpu, memory, pods } = nodes[0]?.status?.capacity ?? {};
  expect((await poolNow()).status).toMatchObject({ resources: { cpu, memory, pods, nodes: '1' }, nodes: 1 });
  await patched(env, Deployments, (await env.client.list(Deployments)).items[0]?.metadata.name ?? '', {
    spec: { replicas: 0 },
  });
  await eventually(env, (now) => now.nodes.length === 0, 120_000);
  await env.clock.advance(5000);
  expect((await poolNow()).status).toMatchObject({ resources: { cpu: '0', nodes: '0' }, nodes: 0 });
});

test('9.3: nothing is counted while a claim is still to be launched', async () => {
  const { operator } = env.startOperator();
  await env.clock.advance(1000);
  operator.cluster.updateNodeClaim(nodeClaim({ metadata: { name: 'coming' } }));
  await applied(env, NodePools, nodePool({ metadata: { name: 'web' } }));
  await env.clock.advance(6000);
  expect((await poolNow()).status?.resources).toBeUndefined();
  operator.cluster.deleteNodeClaim('coming');
  await env.clock.advance(1000);
  expect((await poolNow()).status?.resources).toMatchObject({ nodes: '0' });
});

test('9.4: a pool is ready with its node class', async () => {
  await start();
  const unknown = { status: 'False', reason: 'NodeClassReadinessUnknown', message: 'Node Class Readiness Unknown' };
  await setNodeClassStatus([]);
  expect(await condition('NodeClassReady')).toMatchObject(unknown);
  const ready = { type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await setNodeClassStatus([{ ...ready, status: 'Unknown', reason: 'Looking', message: '' }]);
  expect(await condition('NodeClassReady')).toMatchObject(unknown);
  await setNodeClassStatus([{ ...ready, status: 'False', reason: 'NoSubnets', message: 'none found' }]);
  expect(await condition('NodeClassReady')).toMatchObject({
    status: 'False',
    reason: 'NoSubnets',
    message: 'none found',
  });
  expect(await condition('Ready')).toMatchObject({ status: 'False' });
  await setNodeClassStatus([{ ...ready, status: 'True', reason: 'Ready', message: '' }]);
  expect(await condition('NodeClassReady')).toMatchObject({ status: 'True', reason: 'NodeClassReady' });
  expect(await condition('Ready')).toMatchObject({ status: 'True' });
});

test('9.4: a node class that is going, or is not there, is said to be so', async () => {
  await start();
  await patched(env, KwokNodeClasses, 'default', { metadata: { finalizers: ['example.com/keep'] } });
  await env.client.delete(KwokNodeClasses, { name: 'default' });
  await env.clock.advance(1000);
  const terminating = { status: 'False', reason: 'NodeClassTerminating', message: 'NodeClass is Terminating' };
  expect(await condition('NodeClassReady')).toMatchObject(terminating);
  await patched(env, KwokNodeClasses, 'default', { metadata: { finalizers: [] } });
  await env.clock.advance(1000);
  const missing = { status: 'False', reason: 'NodeClassNotFound', message: 'NodeClass not found on cluster' };
  expect(await condition('NodeClassReady')).toMatchObject(missing);
});

test('9.4: pools of other providers are left alone', async () => {
  await start({ spec: { template: { spec: { nodeClassRef: OTHER_CLASS } } } });
  await env.clock.advance(10_000);
  const { status, metadata } = await poolNow();
  expect([status, metadata.annotations]).toEqual([undefined, undefined]);
});

test('9.5: what the schema can not see is said on the pool, until it is mended', async () => {
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['not ok!'] } as const];
  await start({ spec: { template: { spec: { requirements } } } });
  const failed = await condition('ValidationSucceeded');
  expect(failed).toMatchObject({ status: 'False', reason: 'NodePoolValidationFailed' });
  expect(failed?.message).toContain('not ok!');
  await patched(env, NodePools, 'web', { spec: { template: { spec: { requirements: [] } } } });
  await env.clock.advance(1000);
  expect(await condition('ValidationSucceeded')).toMatchObject({ status: 'True', reason: 'ValidationSucceeded' });
});

test('9.6: a new pool’s health is unknown until a claim has had its chance, and then known', async () => {
  await start();
  expect(await condition('NodeRegistrationHealthy')).toMatchObject({
    status: 'Unknown',
    reason: 'AwaitingReconciliation',
    message: 'object is awaiting reconciliation',
  });
  const { uid = '' } = (await poolNow()).metadata;
  const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'web', uid }];
  await applied(
    env,
    NodeClaims,
    nodeClaim({ metadata: { labels: { 'karpenter.sh/nodepool': 'web' }, ownerReferences } }),
  );
  await env.clock.advance(5000);
  expect(await condition('NodeRegistrationHealthy')).toMatchObject({ status: 'True', observedGeneration: 1 });
});
