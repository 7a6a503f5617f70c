import { afterEach, beforeEach, expect, test } from 'vitest';
import { runControllers } from '../../../../test/aws/run-controllers.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied } from '../../../../test/expectations/index.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import type { Instance } from '../../providers/contracts.ts';
import { TaggingController } from './tagging.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const BOTH = { 'karpenter.k8s.aws/tagged': 'true', 'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true' };

interface Tagged {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly time: number;
}

/** Runs the controller on instances that have these tags; tells what it wrote. */
function start(existing: Readonly<Record<string, string>> = {}, failure?: Error) {
  const written: Tagged[] = [];
  const asked: unknown[] = [];
  const instances = {
    get: async (id: string, options?: object) => {
      asked.push({ id, ...options });
      if (failure) throw failure;
      return { id, tags: existing } as unknown as Instance;
    },
    createTags: async (id: string, tags: Tagged['tags']) => void written.push({ id, tags, time: env.clock.now() }),
  };
  const options = { clusterName: 'test-cluster' };
  const run = runControllers(env, {}, (context) => [new TaggingController({ ...context, instances, options })]);
  return { ...run, written, asked };
}

async function claim(name: string, changes: Parameters<typeof nodeClaim>[0] = {}): Promise<void> {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const status = { nodeName: `node-of-${name}`, providerID: `aws:///us-west-2a/i-${name}` };
  await applied(env, NodeClaims, nodeClaim({ metadata: { name }, spec: { nodeClassRef }, status, ...changes }));
}

const annotationsOf = async (name: string) => (await env.client.get(NodeClaims, { name })).metadata.annotations ?? {};

test('19: an instance gets the names of its node, claim and cluster once the node is known', async () => {
  const { written, asked } = start();
  await claim('a');
  await env.clock.advance(2000);
  expect(asked).toMatchObject([{ id: 'i-a', skipCache: true }]);
  expect(written.map(({ id, tags }) => ({ id, tags }))).toEqual([
    {
      id: 'i-a',
      tags: { Name: 'node-of-a', 'karpenter.sh/nodeclaim': 'a', 'eks:eks-cluster-name': 'test-cluster' },
    },
  ]);
  expect(await annotationsOf('a')).toMatchObject(BOTH);
});

test('19: tags that are there stay as they are', async () => {
  const { written } = start({ Name: 'mine', 'eks:eks-cluster-name': 'test-cluster' });
  await claim('a');
  await env.clock.advance(2000);
  expect(written.map(({ tags }) => tags)).toEqual([{ 'karpenter.sh/nodeclaim': 'a' }]);
});

test('19: an instance that has all tags is only noted as tagged, without delay', async () => {
  const { written } = start({ Name: 'x', 'karpenter.sh/nodeclaim': 'a', 'eks:eks-cluster-name': 'test-cluster' });
  await claim('a');
  await env.clock.advance(100);
  expect(written).toEqual([]);
  expect(await annotationsOf('a')).toMatchObject(BOTH);
});

test('19: one call a second at most', async () => {
  const { written } = start();
  for (const name of ['a', 'b', 'c']) await claim(name);
  await env.clock.advance(5000);
  expect(written).toHaveLength(3);
  const gaps = written.slice(1).map(({ time }, index) => time - (written[index]?.time ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
});

test.each<[string, Parameters<typeof nodeClaim>[0]]>([
  ['has no node yet', { status: { providerID: 'aws:///us-west-2a/i-a' } }],
  ['has both annotations', { metadata: { name: 'a', annotations: BOTH } }],
  ['belongs to another provider', { spec: { nodeClassRef: { group: 'x.y', kind: 'Other', name: 'default' } } }],
])('19: nothing is written for a claim that %s', async (_why, changes) => {
  const { asked } = start();
  await claim('a', changes);
  await env.clock.advance(2000);
  expect(asked).toEqual([]);
});

test('19: one annotation is not enough', async () => {
  const { written } = start();
  await claim('a', { metadata: { name: 'a', annotations: { 'karpenter.k8s.aws/tagged': 'true' } } });
  await env.clock.advance(2000);
  expect(written).toHaveLength(1);
});

test('19: a claim that is being deleted is left alone', async () => {
  await claim('a', { metadata: { name: 'a', finalizers: ['karpenter.sh/termination'] } });
  await env.client.delete(NodeClaims, { name: 'a' });
  const { asked } = start();
  await env.clock.advance(2000);
  expect(asked).toEqual([]);
});

test('19: an instance that is gone is nobody’s fault, another failure is tried again', async () => {
  const gone = start({}, new NodeClaimNotFoundError('no such instance'));
  await claim('a');
  await env.clock.advance(2000);
  expect(gone.errors).toEqual([]);
  expect(gone.asked).toHaveLength(1);
  await gone.stop();
  const failing = start({}, new Error('slow down'));
  await env.clock.advance(2000);
  expect(failing.asked.length).toBeGreaterThan(1);
  expect(failing.errors[0]).toMatchObject({ message: 'tagging nodeclaim, slow down' });
  expect(await annotationsOf('a')).not.toMatchObject(BOTH);
});

test('19: a provider id that is none is logged, and waited out', async () => {
  const { asked, lines, errors } = start();
  await claim('a', { status: { nodeName: 'n', providerID: 'kwok://n' } });
  await env.clock.advance(2000);
  expect([asked, errors, lines]).toEqual([[], [], ['failed parsing instance id']]);
});
