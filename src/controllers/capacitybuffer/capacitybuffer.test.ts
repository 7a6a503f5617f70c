import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventsSoFar, eventually, patched, running } from '../../../test/expectations/index.ts';
import { capacityBuffer, deployment, nodePool, requesting, unschedulablePod } from '../../../test/factories/index.ts';
import type { PodTemplate } from '../../kube/objects.ts';
import { CapacityBuffers, Deployments, NodePools, Pods, PodTemplates } from '../../kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';

const ON = { featureGates: { ...DEFAULT_FEATURE_GATES, CapacityBuffer: true } };

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

const template = (name: string, cpu: string): PodTemplate => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name, namespace: 'default' },
  template: { spec: requesting({ cpu }) },
});
const status = async (name: string) =>
  (await env.client.get(CapacityBuffers, { name, namespace: 'default' })).status ?? {};

/** The buffer's conditions, as `Type=Status Reason`. */
const conditions = async (name: string) =>
  ((await status(name)).conditions ?? []).map((c) => `${c.type}=${c.status} ${c.reason}`).sort();

/** A pool, and a buffer of two pods of three cpus. */
async function bufferOfTwo(): Promise<void> {
  await applied(env, PodTemplates, template('t', '3'));
  await applied(env, CapacityBuffers, capacityBuffer({ podTemplateRef: { name: 't' }, replicas: 2 }, 'b'));
}

test('a buffer gets room that stays, though no pod uses it', async () => {
  env.startOperator(ON);
  await applied(env, NodePools, nodePool());
  await bufferOfTwo();
  await eventually(env, (now) => now.nodes.length === 1);
  await env.clock.advance(600_000);
  const { nodes, claims } = await eventually(env, () => true);
  expect([nodes.length, claims.map((claim) => claim.spec.resources?.requests?.cpu)]).toEqual([1, ['6']]);
  expect(await status('b')).toMatchObject({
    replicas: 2,
    podTemplateRef: { name: 't' },
    podTemplateGeneration: 1,
    provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
  });
  expect(await conditions('b')).toEqual([
    'Provisioning=True FitsExistingCapacity',
    'ReadyForProvisioning=True Resolved',
  ]);
  expect((await env.client.list(Pods)).items).toEqual([]);
  expect(await eventsSoFar(env)).not.toContain('Pod Nominated');
});

test('a restart costs no room', async () => {
  const { kill } = env.startOperator(ON);
  await applied(env, NodePools, nodePool());
  await bufferOfTwo();
  const before = await eventually(env, (now) => now.claims.some((claim) => claim.status?.nodeName));
  await kill();
  env.startOperator(ON);
  await env.clock.advance(120_000);
  const after = await eventually(env, () => true);
  expect(after.nodes.map((node) => node.metadata.name)).toEqual(before.nodes.map((node) => node.metadata.name));
});

test('a real pod takes the room at once, and the buffer gets new room', async () => {
  env.startOperator(ON);
  await applied(env, NodePools, nodePool());
  await bufferOfTwo();
  const before = await eventually(env, (now) => now.claims.some((claim) => claim.status?.nodeName));
  await env.clock.advance(10_000);
  await applied(env, Pods, unschedulablePod({ spec: requesting({ cpu: '6' }) }));
  const after = await eventually(env, (now) => running(now) === 1 && now.nodes.length === 2, 90_000);
  expect(after.pods[0]?.spec.nodeName).toBe(before.claims[0]?.status?.nodeName);
});

test('without the buffer its node is empty, and goes', async () => {
  env.startOperator(ON);
  await applied(env, NodePools, nodePool());
  await bufferOfTwo();
  await eventually(env, (now) => now.nodes.length === 1);
  await env.client.delete(CapacityBuffers, { name: 'b', namespace: 'default' });
  await eventually(env, (now) => now.nodes.length === 0, 180_000);
});

test('3.11.7: a node that the disruption loop had settled on goes as soon as its buffer does', async () => {
  env.startOperator(ON);
  await applied(env, NodePools, nodePool());
  await bufferOfTwo();
  await eventually(env, (now) => now.nodes.length === 1);
  // Nothing changes for long enough that every method has found nothing to do, and not so long that it looks again anyway.
  await env.clock.advance(90_000);
  await env.client.delete(CapacityBuffers, { name: 'b', namespace: 'default' });
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
});

test('room can be a share of a workload’s size, which is looked at every half minute', async () => {
  env.startOperator(ON);
  await applied(env, NodePools, nodePool());
  await applied(env, Deployments, deployment(4, { metadata: { name: 'web' } }));
  const scalableRef = { kind: 'Deployment', name: 'web' };
  await applied(env, CapacityBuffers, capacityBuffer({ scalableRef, percentage: 50 }, 'b'));
  await env.clock.advance(5000);
  expect((await status('b')).replicas).toBe(2);
  await patched(env, Deployments, 'web', { spec: { replicas: 20 } });
  await env.clock.advance(31_000);
  expect((await status('b')).replicas).toBe(10);
});

test('a changed template counts at once', async () => {
  env.startOperator(ON);
  await applied(env, PodTemplates, template('t', '1'));
  const podTemplateRef = { name: 't' };
  await applied(env, CapacityBuffers, capacityBuffer({ podTemplateRef, replicas: 9, limits: { cpu: '4' } }, 'b'));
  await env.clock.advance(1000);
  expect((await status('b')).replicas).toBe(4);
  await patched(env, PodTemplates, 't', { template: { spec: requesting({ cpu: '2' }) } });
  await env.clock.advance(1000);
  expect((await status('b')).replicas).toBe(2);
});

test.each([
  ['ScalableRefNotFound', { scalableRef: { kind: 'Deployment', name: 'none' }, replicas: 1 }],
  ['PodTemplateNotFound', { podTemplateRef: { name: 'none' }, replicas: 1 }],
  ['ResolutionFailed', { scalableRef: { kind: 'Job', apiGroup: 'apps', name: 'j' }, replicas: 1 }],
  ['ResolutionFailed', { scalableRef: { kind: 'Deployment', apiGroup: 'batch', name: 'j' }, replicas: 1 }],
  ['ResolutionFailed', { replicas: 1 }],
])('a buffer that can’t be resolved says %s', async (reason, spec) => {
  env.startOperator(ON);
  await applied(env, CapacityBuffers, capacityBuffer(spec, 'b'));
  await env.clock.advance(1000);
  expect(await conditions('b')).toEqual([`ReadyForProvisioning=False ${reason}`]);
});

test('a buffer that no pool can hold says so, and no event is about its pods', async () => {
  env.startOperator(ON);
  await applied(env, PodTemplates, template('t', '1000'));
  await applied(env, CapacityBuffers, capacityBuffer({ podTemplateRef: { name: 't' }, replicas: 1 }, 'b'));
  await applied(env, NodePools, nodePool());
  await env.clock.advance(40_000);
  expect(await conditions('b')).toContain('Provisioning=False RequiresNewCapacity');
  expect(await eventsSoFar(env)).not.toContain('Pod FailedScheduling');
});

test('buffers of other strategies, and all without the gate, are left alone', async () => {
  await applied(env, NodePools, nodePool());
  const { kill } = env.startOperator();
  await bufferOfTwo();
  await env.clock.advance(40_000);
  expect(await status('b')).toEqual({});
  await kill();
  await patched(env, CapacityBuffers, 'b', { spec: { provisioningStrategy: 'example.com/passive' } });
  env.startOperator(ON);
  await env.clock.advance(40_000);
  await applied(env, Pods, unschedulablePod());
  const { claims } = await eventually(env, (now) => running(now) === 1);
  expect([await status('b'), claims.length]).toEqual([{}, 1]);
});
