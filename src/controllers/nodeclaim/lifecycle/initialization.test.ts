import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventually, patched } from '../../../../test/expectations/index.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { CountedMetrics } from '../../../../test/support/counted-metrics.ts';
import { claimCondition, onlyClaim } from '../../../../test/support/only-claim.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { ResourceSlice } from '../../../kube/objects.ts';
import { NodeClaims, Nodes, ResourceSlices } from '../../../kube/resources.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const STARTING = { key: 'cni', value: 'starting', effect: 'NoSchedule' };
const SECOND = { key: 'csi', effect: 'NoSchedule' };

async function nodeName(): Promise<string> {
  return (await env.client.list(Nodes)).items[0]?.metadata.name ?? '';
}

async function setStatus(status: object): Promise<void> {
  const name = await nodeName();
  await env.client.patch(Nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
  await env.clock.advance(1000);
}

async function setTaints(taints: readonly object[]): Promise<void> {
  await patched(env, Nodes, await nodeName(), { spec: { taints } });
  await env.clock.advance(1000);
}

const initialized = async () => await claimCondition(env, 'Initialized');
const unknown = (reason: string, message: string) => ({ status: 'Unknown', reason, message });

test('5.4.1: a node has to be ready, without startup and ephemeral taints, with all that was asked for, in this order', async () => {
  const kwok = env.kwok();
  // No type has nics, but this cloud sells them.
  const create = async (claim: NodeClaim) => await kwok.create({ ...claim, spec: { ...claim.spec, resources: {} } });
  env.startOperator({}, { cloud: alteredCloud(kwok, { create }) });
  const spec = {
    startupTaints: [STARTING, SECOND],
    resources: { requests: { cpu: '1', 'example.com/gpu': '0', 'example.com/nic': '1' } },
  };
  await applied(env, NodeClaims, nodeClaim({ spec }));
  await env.clock.advance(1000);
  expect(await initialized()).toMatchObject(unknown('NodeNotReady', 'Node status is NotReady'));
  await setStatus({ conditions: [{ type: 'Ready', status: 'True' }], allocatable: { 'example.com/nic': '0' } });
  const still = (taint: string) => unknown('StartupTaintsExist', `StartupTaint "${taint}" still exists`);
  expect(await initialized()).toMatchObject(still('cni=starting:NoSchedule'));
  const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };
  await setTaints([unreachable, SECOND, STARTING]);
  expect(await initialized()).toMatchObject(still('cni=starting:NoSchedule'));
  await setTaints([unreachable, SECOND]);
  expect(await initialized()).toMatchObject(still('csi:NoSchedule'));
  await setTaints([unreachable]);
  const ephemeral = 'KnownEphemeralTaint "node.kubernetes.io/unreachable:NoSchedule" still exists';
  expect(await initialized()).toMatchObject(unknown('KnownEphemeralTaintsExist', ephemeral));
  await setTaints([]);
  const missing = 'Resource "example.com/nic" was requested but not registered';
  expect(await initialized()).toMatchObject(unknown('ResourceNotRegistered', missing));
  await setStatus({ allocatable: { 'example.com/nic': '1' } });
  expect(await initialized()).toMatchObject({ status: 'True', reason: 'Initialized' });
});

test('5.4.1: a second node with its provider id counts as none', async () => {
  env.startOperator();
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(1000);
  const [node] = (await env.client.list(Nodes)).items;
  await applied(env, Nodes, { metadata: { name: 'twin' }, spec: { providerID: node?.spec.providerID } });
  await env.clock.advance(1000);
  expect(await initialized()).toMatchObject(unknown('NodeNotFound', 'Node not registered with cluster'));
});

test.each(['readiness.k8s.io/gpu', 'node.cloudprovider.kubernetes.io/uninitialized'])(
  '5.4.1: %s is a taint that a node is expected to lose',
  async (key) => {
    env.startOperator();
    await applied(env, NodeClaims, nodeClaim());
    await env.clock.advance(1000);
    await setTaints([{ key, effect: 'NoSchedule' }]);
    await setStatus({ conditions: [{ type: 'Ready', status: 'True' }] });
    expect(await initialized()).toMatchObject({ reason: 'KnownEphemeralTaintsExist' });
  },
);

describe('5.4.1: drivers of devices', () => {
  const claim = nodeClaim({
    metadata: { annotations: { 'karpenter.sh/requested-dra-drivers': 'gpu.example.com, nic' } },
  });
  const NOT_READY = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];

  async function startNode(ignoreDRARequests: boolean): Promise<string> {
    env.startOperator({ ignoreDRARequests });
    await applied(env, NodeClaims, claim);
    await env.clock.advance(1000);
    await setTaints(NOT_READY);
    await setStatus({ conditions: [{ type: 'Ready', status: 'True' }] });
    await setTaints([]);
    return await nodeName();
  }

  interface Changes extends Partial<ResourceSlice['spec']> {
    readonly allNodes?: boolean;
    readonly generation?: number;
  }

  const slice = (name: string, { generation = 1, ...spec }: Changes): ResourceSlice => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name },
    spec: {
      driver: 'gpu.example.com',
      ...spec,
      pool: { name: 'pool', generation, resourceSliceCount: 2 },
    },
  });

  test('5.4.1: a claim waits until each has published one whole pool of its newest generation', async () => {
    const on = { nodeName: await startNode(false) };
    const missing = (driver: string) =>
      unknown('DRADriverPoolsNotPublished', `DRA driver "${driver}" has not published a complete resource pool`);
    expect(await initialized()).toMatchObject(missing('gpu.example.com'));
    await applied(env, ResourceSlices, slice('old', on), slice('new', { ...on, generation: 2 }));
    await applied(env, ResourceSlices, slice('elsewhere', { allNodes: true, generation: 2 }));
    await env.clock.advance(1000);
    expect(await initialized()).toMatchObject(missing('gpu.example.com'));
    await applied(env, ResourceSlices, slice('newer', { ...on, generation: 2 }));
    await env.clock.advance(1000);
    expect(await initialized()).toMatchObject(missing('nic'));
    await applied(
      env,
      ResourceSlices,
      slice('nic-1', { ...on, driver: 'nic' }),
      slice('nic-2', { ...on, driver: 'nic' }),
    );
    await env.clock.advance(1000);
    expect(await initialized()).toMatchObject({ status: 'True' });
  });

  test('5.4.1: nobody is waited for while requests for devices are ignored', async () => {
    await startNode(true);
    expect(await initialized()).toMatchObject({ status: 'True' });
  });
});

test('5.4.2: an initialized node is labelled so, and the claim is ready', async () => {
  env.startCluster();
  env.startOperator();
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(2000);
  const label = (await env.client.list(Nodes)).items[0]?.metadata.labels?.['karpenter.sh/initialized'];
  expect([label, (await initialized())?.status, (await claimCondition(env, 'Ready'))?.status]).toEqual([
    'true',
    'True',
    'True',
  ]);
});

test('5.4.2: a node may take as long as it likes to become ready', async () => {
  env.startOperator();
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(24 * 3_600_000);
  expect(await initialized()).toMatchObject({ status: 'Unknown', reason: 'NodeNotReady' });
  expect(await onlyClaim(env)).toBeDefined();
});

describe('5.5.1: deadlines', () => {
  const metadata = { labels: { 'karpenter.sh/nodepool': 'web', 'karpenter.sh/capacity-type': 'spot' } };
  const counted = (reason: string) => [{ reason, nodepool: 'web', capacity_type: 'spot' }];

  test('5.5.1: a claim without an instance goes five minutes after its creation', async () => {
    const metrics = new CountedMetrics();
    const create = async () => {
      throw new Error('not today');
    };
    env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }), metrics });
    await applied(env, NodeClaims, nodeClaim({ metadata }));
    await env.clock.advance(299_000);
    expect(await onlyClaim(env)).toBeDefined();
    // The last attempt may have been almost a minute ago.
    await eventually(env, ({ claims }) => claims.length === 0, 60_000);
    expect(metrics.of('nodeclaims_disrupted_total')).toEqual(counted('launch_timeout'));
  });

  test('5.5.1: one whose node never joins goes exactly fifteen minutes after its creation, and its node never comes', async () => {
    const metrics = new CountedMetrics();
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1h' } });
    env.startOperator({}, { metrics });
    await applied(env, NodeClaims, nodeClaim({ metadata }));
    await env.clock.advance(899_500);
    expect(await claimCondition(env, 'Registered')).toMatchObject({ status: 'Unknown', reason: 'NodeNotFound' });
    await env.clock.advance(1500);
    expect(await onlyClaim(env)).toBeUndefined();
    expect(metrics.of('nodeclaims_disrupted_total')).toEqual(counted('registration_timeout'));
    await env.clock.advance(3_600_000);
    expect((await env.client.list(Nodes)).items).toEqual([]);
  });

  test('5.5.1: what was not launched while the controller was away is given up for one reason only', async () => {
    const metrics = new CountedMetrics();
    await applied(env, NodeClaims, nodeClaim({ metadata }));
    await env.clock.advance(3_600_000);
    const create = async () => {
      throw new Error('not today');
    };
    env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }), metrics });
    await env.clock.advance(5000);
    expect(await onlyClaim(env)).toBeUndefined();
    expect(metrics.of('nodeclaims_disrupted_total')).toEqual(counted('launch_timeout'));
  });
});
