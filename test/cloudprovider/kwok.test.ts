import { expect, test } from 'vitest';
import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import { ANNOTATION_SOLD_OUT } from '../../kwok-provider/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { NodeClaims, Nodes } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { nodeClaim, nodePool } from '../factories/index.ts';
import { providerCases } from './provider-cases.ts';

async function open() {
  const env = await TestEnvironment.open();
  return {
    env,
    cloud: env.kwok(),
    pool: nodePool(),
    claim: async (spec: Partial<NodeClaim['spec']> = {}) => await env.client.create(NodeClaims, nodeClaim({ spec })),
    settle: async () => await env.clock.advance(10_000),
    async setNodeClass(state: 'notReady' | 'missing') {
      if (state === 'missing') return await env.client.delete(KwokNodeClasses, { name: 'default' });
      const condition = {
        type: 'Ready',
        status: 'False',
        reason: 'Test',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      const body = { status: { conditions: [condition] } };
      await env.client.patch(KwokNodeClasses, { name: 'default' }, { type: 'merge', body }, { subresource: 'status' });
    },
    async sellOut() {
      const body = { metadata: { annotations: { [ANNOTATION_SOLD_OUT]: '*' } } };
      await env.client.patch(KwokNodeClasses, { name: 'default' }, { type: 'merge', body });
    },
    close: async () => await env.close(),
  };
}

providerCases('kwok', open, { remembersClaims: true });

test('a node joins after the delay of its class, tainted until it is registered', async () => {
  const { env, cloud, claim, close } = await open();
  const body = { spec: { nodeRegistrationDelay: '30s' } };
  await env.client.patch(KwokNodeClasses, { name: 'default' }, { type: 'merge', body });
  const { status } = await cloud.create(await claim());
  await env.clock.advance(29_000);
  expect((await env.client.list(Nodes)).items).toEqual([]);
  await env.clock.advance(2000);
  const [node] = (await env.client.list(Nodes)).items;
  expect(node?.spec).toMatchObject({
    providerID: status?.providerID,
    taints: expect.arrayContaining([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }]),
  });
  expect(node?.metadata.annotations).toMatchObject({ 'kwok.x-k8s.io/node': 'fake' });
  expect(node?.status?.capacity).toEqual(status?.capacity);
  await close();
});

test('a claim that is deleted during the delay leaves no node behind', async () => {
  const { env, cloud, claim, close } = await open();
  const body = { spec: { nodeRegistrationDelay: '30s' } };
  await env.client.patch(KwokNodeClasses, { name: 'default' }, { type: 'merge', body });
  const bought = await claim();
  await cloud.create(bought);
  await env.client.delete(NodeClaims, { name: bought.metadata.name });
  await env.clock.advance(60_000);
  expect((await env.client.list(Nodes)).items).toEqual([]);
  await close();
});

test('launches that a stopped controller had begun are taken up by the next one', async () => {
  const { env, cloud, claim, close } = await open();
  const body = { spec: { nodeRegistrationDelay: '30s' } };
  await env.client.patch(KwokNodeClasses, { name: 'default' }, { type: 'merge', body });
  const bought = await claim();
  const stopped = new AbortController();
  await cloud.start(stopped.signal);
  const { status } = await cloud.create(bought);
  const launched = { type: 'Launched', status: 'True', reason: 'Launched', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const patch = { type: 'merge', body: { status: { ...status, conditions: [launched] } } } as const;
  await env.client.patch(NodeClaims, { name: bought.metadata.name }, patch, { subresource: 'status' });
  await env.clock.advance(10_000);
  stopped.abort();
  await env.clock.advance(60_000);
  expect((await env.client.list(Nodes)).items).toEqual([]);
  await env.kwok().start(new AbortController().signal);
  await env.clock.advance(1000);
  expect((await env.client.list(Nodes)).items.map((node) => node.spec.providerID)).toEqual([status?.providerID]);
  await close();
});

test('a controller that has stopped makes no node, though it was just buying one', async () => {
  const { env, cloud, claim, settle, close } = await open();
  const stopped = new AbortController();
  await cloud.start(stopped.signal);
  const bought = await claim();
  stopped.abort();
  expect((await cloud.create(bought)).status?.providerID).toMatch(/^kwok:/);
  await settle();
  expect((await env.client.list(Nodes)).items).toEqual([]);
  await close();
});

test('a node goes with its claim, even if nobody has heard yet of the launch', async () => {
  const { env, cloud, claim, close } = await open();
  env.startCluster();
  const bought = await claim();
  await cloud.create(bought);
  await env.clock.advance(1000);
  expect((await env.client.list(Nodes)).items).toHaveLength(1);
  await env.client.delete(NodeClaims, { name: bought.metadata.name });
  await env.clock.advance(10_000);
  expect((await env.client.list(Nodes)).items).toEqual([]);
  await close();
});
