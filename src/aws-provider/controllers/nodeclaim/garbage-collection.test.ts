import { afterEach, beforeEach, expect, test } from 'vitest';
import { runControllers } from '../../../../test/aws/run-controllers.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied } from '../../../../test/expectations/index.ts';
import { node, nodeClaim } from '../../../../test/factories/index.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { Client } from '../../../kube/client.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import { formatTimestamp } from '../../../kube/timestamp.ts';
import { InstanceGarbageCollection } from './garbage-collection.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const idOf = (name: string): string => `aws:///us-west-2a/i-${name}`;
const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

/** An account with these instances, as old as that in seconds. */
function account(ages: Readonly<Record<string, number>>) {
  const instances = new Map<string, NodeClaim>(
    Object.entries(ages).map(([name, age]) => {
      const creationTimestamp = formatTimestamp(env.clock.now() - age * 1000);
      return [idOf(name), nodeClaim({ metadata: { creationTimestamp }, status: { providerID: idOf(name) } })];
    }),
  );
  const lists: number[] = [];
  const deleted: string[] = [];
  const fail = new Set<string>();
  const cloud = {
    list: async () => {
      lists.push(env.clock.now());
      return [...instances.values()];
    },
    delete: async ({ status }: NodeClaim) => {
      const id = status?.providerID ?? '';
      if (fail.has(id)) throw new Error(`no right to terminate ${id}`);
      deleted.push(id);
      if (!instances.delete(id)) throw new NodeClaimNotFoundError('gone');
    },
  };
  const start = (client?: Client) =>
    runControllers(env, cloud, (context) => [new InstanceGarbageCollection(context)], client);
  return { instances, lists, deleted, fail, start };
}

const claimOf = (name: string) =>
  applied(env, NodeClaims, nodeClaim({ spec: { nodeClassRef }, status: { providerID: idOf(name) } }));

test('19: instances that belong to no claim are terminated, and their nodes go', async () => {
  await claimOf('claimed');
  for (const name of ['claimed', 'orphan']) {
    await applied(env, Nodes, node({ metadata: { name }, spec: { providerID: idOf(name) } }));
  }
  const { deleted, start } = account({ claimed: 60, orphan: 60, nodeless: 60 });
  const { lines } = start();
  await env.clock.advance(1000);
  expect(deleted.sort()).toEqual([idOf('nodeless'), idOf('orphan')]);
  expect((await env.client.list(Nodes)).items.map(({ metadata }) => metadata.name)).toEqual(['claimed']);
  expect(lines.toSorted()).toEqual([
    'garbage collected cloudprovider instance',
    'garbage collected cloudprovider instance',
    'garbage collected node',
  ]);
});

test('19: claims of another provider hold no instance', async () => {
  const spec = { nodeClassRef: { group: 'x.y', kind: 'Other', name: 'default' } };
  await applied(env, NodeClaims, nodeClaim({ spec, status: { providerID: idOf('a') } }));
  const { deleted, start } = account({ a: 60 });
  start();
  await env.clock.advance(1000);
  expect(deleted).toEqual([idOf('a')]);
});

test('19: an instance gets more than 30 seconds for its claim to be written', async () => {
  const { deleted, start } = account({ young: 0 });
  start();
  await env.clock.advance(30_000);
  expect(deleted).toEqual([]);
  await env.clock.advance(10_000);
  expect(deleted).toEqual([idOf('young')]);
});

test('19: instances that are terminating already are left alone', async () => {
  const { deleted, instances, start } = account({ a: 60 });
  const instance = instances.get(idOf('a'));
  if (!instance) throw new Error('no instance');
  const metadata = { ...instance.metadata, deletionTimestamp: formatTimestamp(env.clock.now()) };
  instances.set(idOf('a'), { ...instance, metadata });
  start();
  await env.clock.advance(60_000);
  expect(deleted).toEqual([]);
});

test('19: it looks every ten seconds for twenty times, then every two minutes', async () => {
  const { lists, start } = account({});
  start();
  await env.clock.advance(800_000);
  const gaps = lists.slice(1).map((time, index) => time - (lists[index] ?? 0));
  expect(gaps).toEqual([...Array(20).fill(10_000), ...Array(5).fill(120_000)]);
});

test('19: a failure keeps no other instance from going, and is tried again', async () => {
  const { deleted, fail, start } = account({ a: 60, b: 60 });
  fail.add(idOf('a'));
  const { errors } = start();
  await env.clock.advance(1000);
  expect(deleted).toEqual([idOf('b')]);
  expect(errors[0]).toMatchObject({ message: `no right to terminate ${idOf('a')}` });
  fail.clear();
  await env.clock.advance(20_000);
  expect(deleted).toEqual([idOf('b'), idOf('a')]);
});

test('19: nothing is looked at before the claims are known', async () => {
  await claimOf('a');
  const { deleted, lists, start } = account({ a: 60 });
  const listed = Promise.withResolvers<void>();
  const client = env.api.client('karpenter');
  const list: Client['list'] = async (...args) => {
    await listed.promise;
    return await client.list(...args);
  };
  start(alteredClient(client, { list }));
  await env.clock.advance(60_000);
  expect(lists).toEqual([]);
  listed.resolve();
  await env.clock.advance(60_000);
  expect(lists.length).toBeGreaterThan(0);
  expect(deleted).toEqual([]);
});
