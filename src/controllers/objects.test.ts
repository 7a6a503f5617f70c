import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../test/environment.ts';
import { applied } from '../../test/expectations/index.ts';
import { nodeClaim } from '../../test/factories/index.ts';
import { alteredClient } from '../../test/support/altered-client.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import { Informers } from '../kube/informers.ts';
import { NodeClaims } from '../kube/resources.ts';
import { Objects } from './objects.ts';

const KEY = 'claim';
const finalizers = ['example.com/keep'];

let stop: AbortController;
let env: TestEnvironment;
let objects: Objects<NodeClaim>;
let deliver: () => void;

/** Objects whose watch brings nothing until it is told to. */
beforeEach(async () => {
  env = await TestEnvironment.open();
  await applied(env, NodeClaims, nodeClaim({ metadata: { name: KEY, finalizers } }));
  stop = new AbortController();
  const held = Promise.withResolvers<void>();
  deliver = held.resolve;
  const base = env.api.client('karpenter');
  const client = alteredClient(base, {
    watch: async function* (resource, options, signal) {
      await held.promise;
      yield* base.watch(resource, options, signal);
    },
  });
  const informers = new Informers({ client, clock: env.clock, random: env.random });
  objects = new Objects({ client, clock: env.clock, informers }, NodeClaims);
  informers.start(stop.signal);
  await env.clock.settle();
});
afterEach(async () => {
  stop.abort();
  await env.close();
});

const known = (): NodeClaim => {
  const claim = objects.get(KEY);
  if (!claim) throw new Error('not known');
  return claim;
};

test('what was written is read before the watch brings it', async () => {
  const before = known();
  await objects.patch(before, { ...before, metadata: { ...before.metadata, labels: { team: 'a' } } });
  expect([objects.get(KEY), ...objects.list()].map((claim) => claim?.metadata.labels)).toEqual([
    { team: 'a' },
    { team: 'a' },
  ]);
});

test('what was deleted is known to be going before the watch brings it, and after', async () => {
  await objects.delete(known());
  const since = known().metadata.deletionTimestamp;
  expect(since).toBeDefined();
  expect(objects.list().map(({ metadata }) => metadata.deletionTimestamp)).toEqual([since]);
  deliver();
  await env.clock.advance(1000);
  expect(known().metadata.deletionTimestamp).toBe(since);
});

test('another object of the same name is not the one that was deleted', async () => {
  await objects.delete(known());
  await env.client.patch(NodeClaims, { name: KEY }, { type: 'merge', body: { metadata: { finalizers: null } } });
  await applied(env, NodeClaims, nodeClaim({ metadata: { name: KEY } }));
  deliver();
  await env.clock.advance(1000);
  expect(known().metadata.deletionTimestamp).toBeUndefined();
});
