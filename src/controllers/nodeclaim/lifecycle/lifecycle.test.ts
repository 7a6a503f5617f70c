import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventsSoFar, eventually, patched } from '../../../../test/expectations/index.ts';
import { nodeClaim, nodePool } from '../../../../test/factories/index.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { CreateError, InsufficientCapacityError } from '../../../cloudprovider/errors.ts';
import type { CloudProvider } from '../../../cloudprovider/types.ts';
import { NodeClaims, NodePools, Nodes } from '../../../kube/resources.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** The fake cloud, but for what a test changes. */
function cloudWith(changes: Partial<CloudProvider>): CloudProvider {
  const kwok = env.kwok();
  return new Proxy<CloudProvider>(kwok, {
    get: (target, key: keyof CloudProvider) => {
      const value = changes[key] ?? target[key];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const only = async (): Promise<NodeClaim | undefined> => (await env.client.list(NodeClaims)).items[0];
const condition = async (type: string) => (await only())?.status?.conditions?.find((c) => c.type === type);
const startupTaint = { key: 'cni', value: 'starting', effect: 'NoSchedule' };

describe('launching', () => {
  test('a claim nobody can serve is deleted, with an event that says why', async () => {
    const cloud = cloudWith({
      create: async () => {
        throw new InsufficientCapacityError('all sold out');
      },
    });
    env.startOperator({}, { cloud });
    await applied(env, NodeClaims, nodeClaim());
    await eventually(env, ({ claims }) => claims.length === 0);
    expect(await eventsSoFar(env)).toContain('NodeClaim InsufficientCapacityError');
  });

  test('any other refusal is shown on the claim and tried again, until five minutes have passed', async () => {
    let attempts = 0;
    const cloud = cloudWith({
      create: async () => {
        attempts++;
        throw new CreateError('refused', 'QuotaExceeded', 'ask for more');
      },
    });
    env.startOperator({}, { cloud });
    await applied(env, NodeClaims, nodeClaim());
    await env.clock.advance(60_000);
    expect(await condition('Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'QuotaExceeded',
      message: 'ask for more',
    });
    expect(attempts).toBeGreaterThan(3);
    await env.clock.advance(239_000);
    expect(await only()).toBeDefined();
    await eventually(env, ({ claims }) => claims.length === 0, 60_000);
  });
});

describe('registration', () => {
  test('gives up after fifteen minutes without a node', async () => {
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1h' } });
    env.startOperator();
    await applied(env, NodeClaims, nodeClaim());
    await env.clock.advance(899_000);
    expect(await condition('Registered')).toMatchObject({ status: 'Unknown', reason: 'NodeNotFound' });
    await eventually(env, ({ claims }) => claims.length === 0);
    await env.clock.advance(3_600_000);
    expect((await env.client.list(Nodes)).items).toEqual([]);
  });

  test('two such failures make the pool unhealthy, and success heals it', async () => {
    env.startOperator();
    const [pool] = await applied(env, NodePools, nodePool());
    const owner = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      name: pool?.metadata.name ?? '',
      uid: pool?.metadata.uid ?? '',
    };
    const metadata = { labels: { 'karpenter.sh/nodepool': owner.name }, ownerReferences: [owner] };
    const health = async () =>
      (await env.client.get(NodePools, { name: owner.name })).status?.conditions?.find(
        (c) => c.type === 'NodeRegistrationHealthy',
      );
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1h' } });
    await env.clock.advance(1000);
    await applied(env, NodeClaims, nodeClaim({ metadata }), nodeClaim({ metadata }));
    await env.clock.advance(910_000);
    expect(await health()).toMatchObject({ status: 'False', reason: 'RegistrationFailed' });
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1s' } });
    await applied(env, NodeClaims, nodeClaim({ metadata }));
    await env.clock.advance(10_000);
    expect(await health()).toMatchObject({ status: 'True' });
  });
});

describe('initialization', () => {
  test('waits for the node, for its startup taints, and for what was asked for', async () => {
    env.startOperator();
    const spec = { startupTaints: [startupTaint], resources: { requests: { cpu: '1' } } };
    await applied(env, NodeClaims, nodeClaim({ spec }));
    await env.clock.advance(1000);
    expect(await condition('Initialized')).toMatchObject({ status: 'Unknown', reason: 'NodeNotReady' });
    env.startCluster();
    await env.clock.advance(1000);
    expect(await condition('Initialized')).toMatchObject({
      reason: 'StartupTaintsExist',
      message: 'StartupTaint "cni=starting:NoSchedule" still exists',
    });
    const [node] = (await env.client.list(Nodes)).items;
    const taints = [{ key: 'readiness.k8s.io/gpu', effect: 'NoSchedule' }];
    await patched(env, Nodes, node?.metadata.name ?? '', { spec: { taints } });
    await env.clock.advance(1000);
    expect(await condition('Initialized')).toMatchObject({ reason: 'KnownEphemeralTaintsExist' });
    await patched(env, Nodes, node?.metadata.name ?? '', { spec: { taints: [] } });
    await env.clock.advance(1000);
    expect(await condition('Initialized')).toMatchObject({ status: 'True' });
    expect((await env.client.list(Nodes)).items[0]?.metadata.labels).toMatchObject({
      'karpenter.sh/initialized': 'true',
    });
  });
});

test('claims of other providers are left alone', async () => {
  env.startOperator();
  const nodeClassRef = { group: 'example.com', kind: 'OtherNodeClass', name: 'x' };
  await applied(env, NodeClaims, nodeClaim({ spec: { nodeClassRef } }));
  await env.clock.advance(10_000);
  const claim = await only();
  expect([claim?.metadata.finalizers, claim?.status]).toEqual([undefined, undefined]);
});

test('a claim goes when it has lived as long as it may', async () => {
  env.startCluster();
  env.startOperator();
  await applied(env, NodeClaims, nodeClaim({ spec: { expireAfter: '30m' } }));
  await env.clock.advance(1_799_000);
  expect(await condition('Initialized')).toMatchObject({ status: 'True' });
  await eventually(env, ({ claims, nodes }) => claims.length + nodes.length === 0);
});

test('a claim whose instance has vanished is collected, with its node', async () => {
  const kwok = env.kwok();
  let vanished = false;
  const cloud = cloudWith({ list: async () => (vanished ? [] : await kwok.list()) });
  env.startOperator({}, { cloud });
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(5000);
  vanished = true;
  await eventually(env, ({ claims, nodes }) => claims.length + nodes.length === 0, 150_000);
});
