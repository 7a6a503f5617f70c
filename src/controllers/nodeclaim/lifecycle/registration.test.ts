import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventsSoFar, patched } from '../../../../test/expectations/index.ts';
import { node, nodeClaim } from '../../../../test/factories/index.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { CountedMetrics } from '../../../../test/support/counted-metrics.ts';
import { claimCondition, onlyClaim } from '../../../../test/support/only-claim.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodeLifecycleHook, NodeLifecycleHookResult } from '../../../cloudprovider/types.ts';
import type { Node, Taint } from '../../../kube/objects.ts';
import { Events, NodeClaims, Nodes } from '../../../kube/resources.ts';

let env: TestEnvironment;
let metrics: CountedMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new CountedMetrics();
});
afterEach(async () => await env.close());

const UNREGISTERED: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
const CLAIM_LABELS = { 'karpenter.sh/nodepool': 'web', 'topology.kubernetes.io/zone': 'zone-1' };

/** A cloud whose instances get their nodes from the test, under this id. */
function start(registrationHooks: readonly NodeLifecycleHook[] = []): void {
  const create = async (claim: NodeClaim): Promise<NodeClaim> => ({ ...claim, status: { providerID: 'kwok://n' } });
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create, registrationHooks }), metrics });
}

const joining = (changes: Parameters<typeof node>[0] = {}): Node =>
  node({
    metadata: { name: 'n', ...changes.metadata },
    spec: { providerID: 'kwok://n', taints: [UNREGISTERED], ...changes.spec },
  });

const nodeNow = async (): Promise<Node> => await env.client.get(Nodes, { name: 'n' });

/** Without the one that the API puts on every new node. */
const taintsOf = ({ spec }: Node): readonly Taint[] =>
  (spec.taints ?? []).filter(({ key }) => key !== 'node.kubernetes.io/not-ready');

test('5.3.1: a claim waits for the one node with its provider id', async () => {
  start();
  await applied(env, NodeClaims, nodeClaim({ metadata: { labels: CLAIM_LABELS } }));
  await applied(env, Nodes, node({ metadata: { name: 'stranger' } }));
  await env.clock.advance(1000);
  const waiting = { status: 'Unknown', reason: 'NodeNotFound', message: 'Node not registered with cluster' };
  expect(await claimCondition(env, 'Registered')).toMatchObject(waiting);
  await applied(env, Nodes, joining());
  await env.clock.advance(1000);
  expect(await claimCondition(env, 'Registered')).toMatchObject({ status: 'True', reason: 'Registered' });
});

test('5.3.1: two nodes with its provider id end it for good, and the claim goes after fifteen minutes', async () => {
  start();
  await applied(env, Nodes, joining(), joining({ metadata: { name: 'twin' } }));
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(1000);
  const found = {
    status: 'False',
    reason: 'MultipleNodesFound',
    message: 'Invariant violated, matched multiple nodes',
  };
  expect(await claimCondition(env, 'Registered')).toMatchObject(found);
  await env.client.delete(Nodes, { name: 'twin' });
  await env.clock.advance(600_000);
  expect(await claimCondition(env, 'Registered')).toMatchObject(found);
  // The deadline counts from when the condition became False.
  await env.clock.advance(302_000);
  expect(await onlyClaim(env)).toBeUndefined();
});

test('5.3.2: a node that joins without the unregistered taint is told of, and registered all the same', async () => {
  start();
  await applied(env, NodeClaims, nodeClaim());
  await applied(env, Nodes, joining({ spec: { taints: [] } }));
  await env.clock.advance(1000);
  expect(await claimCondition(env, 'Registered')).toMatchObject({ status: 'True' });
  const event = (await env.client.list(Events)).items.find(({ reason }) => reason === 'UnregisteredTaintMissing');
  expect([event?.type, event?.involvedObject.kind, event?.message]).toEqual([
    'Warning',
    'NodeClaim',
    'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
  ]);
});

test('5.3.2: a node with the taint is not told of', async () => {
  start();
  await applied(env, NodeClaims, nodeClaim());
  await applied(env, Nodes, joining());
  await env.clock.advance(1000);
  expect(await eventsSoFar(env)).not.toContain('NodeClaim UnregisteredTaintMissing');
});

const A: Taint = { key: 'a', value: 'claim', effect: 'NoSchedule' };
const B: Taint = { key: 'b', value: 'claim', effect: 'NoExecute' };
const STARTING: Taint = { key: 'cni', value: 'starting', effect: 'NoSchedule' };

test('5.3.3: the node gets finalizer, owner, labels, annotations and taints of its claim', async () => {
  start();
  const metadata = { labels: { ...CLAIM_LABELS, team: 'claim' }, annotations: { note: 'claim' } };
  const [claim] = await applied(
    env,
    NodeClaims,
    nodeClaim({ metadata, spec: { taints: [A, B], startupTaints: [STARTING, B] } }),
  );
  const old = { ...A, value: 'node' };
  await applied(
    env,
    Nodes,
    joining({
      metadata: { labels: { team: 'node', disk: 'ssd' }, annotations: { note: 'node', more: 'yes' } },
      spec: { taints: [UNREGISTERED, old] },
    }),
  );
  await env.clock.advance(1000);
  const joined = await nodeNow();
  const { metadata: now } = joined;
  expect(now.finalizers).toEqual(['karpenter.sh/termination']);
  expect(now.ownerReferences).toEqual([
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      name: claim?.metadata.name,
      uid: claim?.metadata.uid,
      blockOwnerDeletion: true,
    },
  ]);
  expect(now.labels).toMatchObject({ team: 'claim', disk: 'ssd', 'karpenter.sh/registered': 'true' });
  expect(now.annotations).toMatchObject({ note: 'claim', more: 'yes' });
  expect(taintsOf(joined)).toEqual([old, B, STARTING]);
});

test('5.3.3: a node that asks for it gets no taints but loses the unregistered one', async () => {
  start();
  await applied(env, NodeClaims, nodeClaim({ spec: { taints: [A], startupTaints: [STARTING] } }));
  await applied(env, Nodes, joining({ metadata: { labels: { 'karpenter.sh/do-not-sync-taints': 'true' } } }));
  await env.clock.advance(1000);
  const joined = await nodeNow();
  expect(joined.metadata.labels).toMatchObject({ 'karpenter.sh/registered': 'true' });
  expect(taintsOf(joined)).toEqual([]);
});

test('5.3.4: hooks hold a node back, synced but tainted, and are asked again after the shortest of their times', async () => {
  const asked: string[] = [];
  const times: number[] = [];
  let isReady = false;
  const hook = (name: string, result: NodeLifecycleHookResult): NodeLifecycleHook => ({
    name,
    registered: async () => {
      asked.push(name);
      if (name === 'slow') times.push(env.clock.now());
      return isReady ? {} : result;
    },
  });
  start([hook('slow', { requeueAfter: 30_000 }), hook('content', {}), hook('quick', { requeueAfter: 7000 })]);
  await applied(env, NodeClaims, nodeClaim({ metadata: { labels: { team: 'claim' } }, spec: { taints: [A] } }));
  await applied(env, Nodes, joining());
  await env.clock.advance(6000);
  const pending = { status: 'Unknown', reason: 'RegistrationHookPending', message: 'slow, quick' };
  expect(await claimCondition(env, 'Registered')).toMatchObject(pending);
  const held = await nodeNow();
  expect(held.metadata.labels).toMatchObject({ team: 'claim' });
  expect(held.metadata.labels).not.toHaveProperty(['karpenter.sh/registered']);
  expect(taintsOf(held)).toEqual([UNREGISTERED, A]);
  asked.length = 0;
  await env.clock.advance(14_000);
  const [first = 0, ...rest] = times.slice(-2);
  expect(rest.map((time) => time - first)).toEqual([7000]);
  expect(new Set(asked)).toEqual(new Set(['slow', 'content', 'quick']));
  isReady = true;
  await env.clock.advance(7000);
  expect(await claimCondition(env, 'Registered')).toMatchObject({ status: 'True' });
  expect(taintsOf(await nodeNow())).toEqual([A]);
});

test('5.3.4: hooks are asked at the same time, and what they put on the claim reaches the node', async () => {
  let inside = 0;
  let most = 0;
  const hook = (name: string): NodeLifecycleHook => ({
    name,
    registered: async () => {
      most = Math.max(most, ++inside);
      await env.clock.sleep(1000);
      inside--;
      return { labels: { [name]: 'done' }, annotations: { [`${name}-note`]: 'done' } };
    },
  });
  start([hook('first'), hook('second')]);
  await applied(env, NodeClaims, nodeClaim());
  await applied(env, Nodes, joining());
  await env.clock.advance(2000);
  expect(most).toBe(2);
  const put = { labels: { first: 'done', second: 'done' }, annotations: { 'first-note': 'done' } };
  expect((await nodeNow()).metadata).toMatchObject(put);
  expect((await onlyClaim(env))?.metadata).toMatchObject(put);
});

test('5.3.4: a hook that fails counts as pending, and is asked again', async () => {
  let attempts = 0;
  start([
    { name: 'fine', registered: async () => ({}) },
    {
      name: 'broken',
      registered: async () => {
        if (++attempts < 4) throw new Error('no answer');
        return {};
      },
    },
  ]);
  await applied(env, NodeClaims, nodeClaim());
  await applied(env, Nodes, joining());
  await env.clock.advance(900);
  expect(await claimCondition(env, 'Registered')).toMatchObject({
    status: 'Unknown',
    reason: 'RegistrationHookPending',
    message: 'broken',
  });
  await env.clock.advance(30_000);
  expect(await claimCondition(env, 'Registered')).toMatchObject({ status: 'True' });
});

test('5.3.5: a registered claim knows its node, which is counted once and has lost the taint', async () => {
  start();
  await applied(env, NodeClaims, nodeClaim({ metadata: { labels: CLAIM_LABELS } }));
  await applied(env, Nodes, joining());
  await env.clock.advance(1000);
  await patched(env, Nodes, 'n', { metadata: { labels: { touched: 'yes' } } });
  await env.clock.advance(60_000);
  expect((await onlyClaim(env))?.status?.nodeName).toBe('n');
  expect(taintsOf(await nodeNow())).toEqual([]);
  expect(metrics.of('nodes_created_total')).toEqual([{ nodepool: 'web', zone: 'zone-1' }]);
});
