import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied } from '../../../../test/expectations/index.ts';
import { node, nodeClaim } from '../../../../test/factories/index.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { runAlone } from '../../../../test/support/run-alone.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Client } from '../../../kube/client.ts';
import { ApiError } from '../../../kube/errors.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import { SILENT } from '../../../logging/logger.ts';
import { CapacityTypeController } from './capacity-type.ts';

const ID = 'aws:///us-west-2a/i-1';
const RESERVED = {
  'karpenter.sh/capacity-type': 'reserved',
  'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
  'karpenter.k8s.aws/capacity-reservation-type': 'default',
  'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
  team: 'a',
};
const ON_DEMAND = { 'karpenter.sh/capacity-type': 'on-demand', team: 'a' };
const REGISTERED = { 'karpenter.sh/registered': 'true' };

let env: TestEnvironment;
let instances: readonly NodeClaim[];
let stop: () => void;
beforeEach(async () => {
  env = await TestEnvironment.open();
  instances = [instance('on-demand')];
  stop = () => {};
});
afterEach(async () => {
  stop();
  await env.close();
});

const instance = (capacityType: string, providerID = ID) =>
  nodeClaim({ metadata: { labels: { 'karpenter.sh/capacity-type': capacityType } }, status: { providerID } });

function start(client?: Client) {
  const cloud = alteredCloud(env.kwok(), { list: async () => instances });
  const running = runAlone(env, (parts) => new CapacityTypeController({ ...parts, cloud, log: SILENT }), client);
  stop = running.stop;
  return running;
}

/** A claim and its node, both labelled as reserved. */
async function reservedPair(nodeLabels: Readonly<Record<string, string>> = REGISTERED): Promise<void> {
  await applied(env, NodeClaims, nodeClaim({ metadata: { name: 'c', labels: RESERVED }, status: { providerID: ID } }));
  const metadata = { name: 'n', labels: { ...RESERVED, ...nodeLabels } };
  await applied(env, Nodes, node({ metadata, spec: { providerID: ID } }));
}

const labelsOf = async () => {
  const [claim, joined] = [await env.client.get(NodeClaims, { name: 'c' }), await env.client.get(Nodes, { name: 'n' })];
  return { claim: claim.metadata.labels, node: joined.metadata.labels };
};

test('claim and node become on-demand within a minute after EC2 says that the instance is', async () => {
  instances = [instance('reserved')];
  await reservedPair();
  start();
  await env.clock.advance(59_000);
  expect(await labelsOf()).toMatchObject({ claim: RESERVED, node: RESERVED });
  instances = [instance('on-demand')];
  await env.clock.advance(2000);
  const { claim, node: joined } = await labelsOf();
  expect(claim).toEqual(ON_DEMAND);
  expect(joined).toEqual({ ...ON_DEMAND, ...REGISTERED, 'kubernetes.io/hostname': 'n' });
});

test('a node that has not registered keeps its labels until it has', async () => {
  await reservedPair({});
  start();
  await env.clock.advance(1000);
  expect(await labelsOf()).toMatchObject({ claim: ON_DEMAND, node: RESERVED });
  await env.client.patch(Nodes, { name: 'n' }, { type: 'merge', body: { metadata: { labels: REGISTERED } } });
  await env.clock.advance(60_000);
  expect(await labelsOf()).toMatchObject({ node: ON_DEMAND });
});

test.each([
  ['of spot', 'spot', 'reserved'],
  ['of its reservation', 'reserved', 'reserved'],
  ['on-demand, and was never reserved,', 'on-demand', 'spot'],
])('a claim whose instance is %s stays as it is', async (_what, capacityType, label) => {
  instances = [instance(capacityType)];
  const labels = { ...RESERVED, 'karpenter.sh/capacity-type': label };
  await applied(env, NodeClaims, nodeClaim({ metadata: { name: 'c', labels }, status: { providerID: ID } }));
  start();
  await env.clock.advance(1000);
  expect((await env.client.get(NodeClaims, { name: 'c' })).metadata.labels).toEqual(labels);
});

test('what is being deleted stays as it is, and so does a claim without an instance', async () => {
  const metadata = { labels: RESERVED, finalizers: ['example.com/wait'] };
  await applied(env, NodeClaims, nodeClaim({ metadata: { ...metadata, name: 'going' }, status: { providerID: ID } }));
  await env.client.delete(NodeClaims, { name: 'going' });
  await applied(env, NodeClaims, nodeClaim({ metadata: { ...metadata, name: 'new' } }));
  instances = [...instances, instance('on-demand', '')];
  start();
  await env.clock.advance(1000);
  for (const { metadata } of (await env.client.list(NodeClaims)).items) expect(metadata.labels).toEqual(RESERVED);
});

test('a node that is being deleted stays as it is', async () => {
  await reservedPair();
  await env.client.patch(
    Nodes,
    { name: 'n' },
    { type: 'merge', body: { metadata: { finalizers: ['example.com/wait'] } } },
  );
  await env.client.delete(Nodes, { name: 'n' });
  start();
  await env.clock.advance(1000);
  expect(await labelsOf()).toMatchObject({ claim: ON_DEMAND, node: RESERVED });
});

/** A client of which the first writes to nodes fail. */
function failing(...failures: readonly (readonly [code: number, reason: string])[]): Client {
  const base = env.api.client('karpenter');
  const left = [...failures];
  return alteredClient(base, {
    patch: async (resource, ...rest) => {
      const [code, reason] = (resource.plural === 'nodes' && left.shift()) || [];
      if (code && reason) throw new ApiError({ code, reason });
      return await base.patch(resource, ...rest);
    },
  });
}

test('a conflict makes it look again soon, and is no failure', async () => {
  await reservedPair();
  const { reconciled } = start(failing([409, 'Conflict']));
  await env.clock.advance(1000);
  expect(reconciled.map(({ result }) => result)).toEqual(['requeue', 'requeue_after']);
  expect(await labelsOf()).toMatchObject({ node: ON_DEMAND });
});

test('a node that is gone is no failure; another refusal is one, and is tried again', async () => {
  await reservedPair();
  const gone = start(failing([404, 'NotFound']));
  await env.clock.advance(1000);
  expect(gone.reconciled.map(({ result }) => result)).toEqual(['requeue_after']);
  gone.stop();
  const refused = start(failing([403, 'Forbidden']));
  await env.clock.advance(1000);
  expect(refused.reconciled.map(({ result }) => result)).toEqual(['error', 'requeue_after']);
});

test('a conflict does not hide another refusal', async () => {
  await reservedPair();
  const other = 'aws:///us-west-2a/i-2';
  instances = [...instances, instance('on-demand', other)];
  await applied(env, NodeClaims, nodeClaim({ metadata: { name: 'd' }, status: { providerID: other } }));
  const metadata = { name: 'm', labels: { ...RESERVED, ...REGISTERED } };
  await applied(env, Nodes, node({ metadata, spec: { providerID: other } }));
  const { reconciled } = start(failing([409, 'Conflict'], [403, 'Forbidden']));
  await env.clock.advance(1000);
  expect(reconciled.map(({ result }) => result)).toEqual(['error', 'requeue_after']);
});
