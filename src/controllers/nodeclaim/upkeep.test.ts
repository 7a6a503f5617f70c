import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, snapshot } from '../../../test/expectations/index.ts';
import { nodeClaim } from '../../../test/factories/index.ts';
import { alteredClient } from '../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import { CountedMetrics } from '../../../test/support/counted-metrics.ts';
import { claimCondition, onlyClaim } from '../../../test/support/only-claim.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { ApiError } from '../../kube/errors.ts';
import { Events, NodeClaims, Nodes } from '../../kube/resources.ts';

const metadata = { labels: { 'karpenter.sh/nodepool': 'web', 'karpenter.sh/capacity-type': 'spot' } };
const OTHER_CLASS = { group: 'example.com', kind: 'OtherNodeClass', name: 'x' };

let env: TestEnvironment;
let metrics: CountedMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new CountedMetrics();
});
afterEach(async () => await env.close());

async function setNodeStatus(status: object): Promise<void> {
  const name = (await env.client.list(Nodes)).items[0]?.metadata.name ?? '';
  await env.client.patch(Nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
}

describe('5.8.1: claims whose instance has vanished', () => {
  /** A controller whose cloud can forget its instances, and one claim; kubelets of its own keep no node ready. */
  async function startVanishing(ready: 'True' | 'False', changes = {}): Promise<{ vanish(): void; lists: number[] }> {
    const kwok = env.kwok();
    const lists: number[] = [];
    let vanished = false;
    const list = async () => {
      lists.push(env.clock.now());
      return vanished ? [] : await kwok.list();
    };
    env.startOperator({}, { cloud: alteredCloud(kwok, { list }), metrics });
    await applied(env, NodeClaims, nodeClaim({ metadata, ...changes }));
    await env.clock.advance(5000);
    await setNodeStatus({ conditions: [{ type: 'Ready', status: ready }] });
    return { vanish: () => (vanished = true), lists };
  }

  test('5.8.1: they are looked for every two minutes, and go once their node is not ready', async () => {
    const { vanish, lists } = await startVanishing('False');
    await env.clock.advance(600_000);
    expect(lists.map((time) => time - (lists[0] ?? 0))).toEqual([0, 120_000, 240_000, 360_000, 480_000, 600_000]);
    expect((await snapshot(env)).claims).toHaveLength(1);
    vanish();
    await eventually(env, ({ claims, nodes }) => claims.length + nodes.length === 0, 150_000);
    const counted = { reason: 'garbage_collected', nodepool: 'web', capacity_type: 'spot' };
    expect(metrics.of('nodeclaims_disrupted_total')).toEqual([counted]);
  });

  test('5.8.1: one whose node is ready is alive, whatever the provider says', async () => {
    const { vanish } = await startVanishing('True');
    vanish();
    await env.clock.advance(600_000);
    expect((await snapshot(env)).claims).toHaveLength(1);
    await setNodeStatus({ conditions: [{ type: 'Ready', status: 'Unknown' }] });
    await eventually(env, ({ claims }) => claims.length === 0, 150_000);
  });

  test('5.8.1: an instance that is terminating counts as gone', async () => {
    const kwok = env.kwok();
    const list = async () =>
      (await kwok.list()).map((instance) => ({
        ...instance,
        metadata: { ...instance.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      }));
    env.startOperator({}, { cloud: alteredCloud(kwok, { list }) });
    await applied(env, NodeClaims, nodeClaim());
    await eventually(env, ({ claims }) => claims.length === 0, 150_000);
  });

  test('5.8.1: one that never registered is left to its deadline', async () => {
    const create = async (claim: NodeClaim) => ({ ...claim, status: { providerID: 'kwok://vanished' } });
    env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }) });
    await applied(env, NodeClaims, nodeClaim());
    await env.clock.advance(600_000);
    expect((await snapshot(env)).claims).toHaveLength(1);
  });

  test('5.8.1: one refusal keeps none of the others, and is made good in the next round', async () => {
    const kwok = env.kwok();
    let vanished = false;
    const list = async () => (vanished ? [] : await kwok.list());
    const base = env.api.client('karpenter');
    let refusals = 0;
    const client = alteredClient(base, {
      delete: async (resource, ref, options, signal) => {
        if (resource === (NodeClaims as unknown) && ref.name === 'stubborn' && ++refusals === 1) {
          throw new ApiError({ code: 500, message: 'etcd is tired' });
        }
        await base.delete(resource, ref, options, signal);
      },
    });
    env.startOperator({}, { client, cloud: alteredCloud(kwok, { list }) });
    await applied(env, NodeClaims, nodeClaim({ metadata: { name: 'stubborn' } }));
    await applied(env, NodeClaims, ...Array.from({ length: 25 }, () => nodeClaim()));
    await env.clock.advance(5000);
    vanished = true;
    await eventually(env, ({ claims }) => claims.length === 0, 150_000);
    expect(refusals).toBe(2);
  });
});

test('5.8.2: a claim that was gone before any watch showed it is forgotten after 15 s', async () => {
  const { operator } = env.startOperator();
  await env.clock.advance(1000);
  operator.cluster.expectNodeClaim(nodeClaim({ metadata: { name: 'lost' } }));
  await env.clock.advance(13_000);
  expect(operator.cluster.synced).toBe(false);
  await env.clock.advance(17_000);
  expect(operator.cluster.synced).toBe(true);
});

describe('5.9.1: nodes that are less than was bought', () => {
  const checks = async () =>
    (await env.client.list(Events)).items.filter(({ reason }) => reason === 'FailedConsistencyCheck');

  async function startShrunk(cpu: string): Promise<void> {
    // The node comes after the claim has its id, as in any real cloud.
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1s' } });
    env.startOperator();
    await applied(env, NodeClaims, nodeClaim({ spec: { resources: { requests: { cpu: '8', pods: '1' } } } }));
    await env.clock.advance(2000);
    await patched(env, Nodes, (await env.client.list(Nodes)).items[0]?.metadata.name ?? '', { spec: { taints: [] } });
    await setNodeStatus({ capacity: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] });
    await env.clock.advance(1000);
  }

  test('5.9.1: they are told of ten minutes after the launch, and every ten minutes', async () => {
    await startShrunk('4');
    const bought = (await onlyClaim(env))?.status?.capacity?.cpu;
    await env.clock.advance(585_000);
    expect([await claimCondition(env, 'ConsistentStateFound'), await checks()]).toEqual([undefined, []]);
    await env.clock.advance(15_000);
    expect(await claimCondition(env, 'ConsistentStateFound')).toMatchObject({
      status: 'False',
      reason: 'ConsistencyCheckFailed',
      message: 'Consistency Check Failed',
    });
    const share = (400 / Number(bought)).toFixed(1);
    const message = `expected ${bought} of resource cpu, but found 4 (${share}% of expected)`;
    expect((await checks()).map((event) => [event.type, event.message])).toEqual([['Warning', message]]);
    await setNodeStatus({ capacity: { cpu: bought } });
    await env.clock.advance(580_000);
    expect(await claimCondition(env, 'ConsistentStateFound')).toMatchObject({ status: 'False' });
    await env.clock.advance(20_000);
    expect(await claimCondition(env, 'ConsistentStateFound')).toMatchObject({
      status: 'True',
      reason: 'ConsistentStateFound',
    });
  });

  test('5.9.1: nine tenths are enough', async () => {
    await startShrunk('8');
    const bought = Number((await onlyClaim(env))?.status?.capacity?.cpu);
    await setNodeStatus({ capacity: { cpu: `${bought * 900}m` } });
    await env.clock.advance(601_000);
    expect(await claimCondition(env, 'ConsistentStateFound')).toMatchObject({ status: 'True' });
    expect(await checks()).toEqual([]);
  });
});

describe('5.10.1: expiration', () => {
  test('5.10.1: a claim goes when it has lived as long as it may, and is counted once', async () => {
    env.startCluster();
    env.startOperator({}, { metrics });
    await applied(env, NodeClaims, nodeClaim({ metadata, spec: { expireAfter: '30m' } }));
    await env.clock.advance(1_799_000);
    expect((await onlyClaim(env))?.metadata.deletionTimestamp).toBeUndefined();
    await eventually(env, ({ claims, nodes }) => claims.length + nodes.length === 0, 20_000);
    const counted = { reason: 'expired', nodepool: 'web', capacity_type: 'spot' };
    expect(metrics.of('nodeclaims_disrupted_total')).toEqual([counted]);
  });

  test('5.10.1: one that says nothing lives for thirty days, one that never expires for ever', async () => {
    const { kill } = env.startOperator();
    const { expireAfter: _, ...spec } = nodeClaim().spec;
    await applied(env, NodeClaims, { ...nodeClaim(), spec }, nodeClaim({ metadata: { name: 'for-ever' } }));
    await env.clock.advance(10_000);
    await kill();
    const days = 86_400_000;
    await env.clock.advance(30 * days - 60_000);
    env.startOperator();
    await env.clock.advance(45_000);
    expect((await snapshot(env)).claims.map((claim) => claim.metadata.deletionTimestamp)).toEqual([
      undefined,
      undefined,
    ]);
    const { claims } = await eventually(env, (now) => now.claims.length < 2, 20_000);
    expect(claims.map((claim) => claim.metadata.name)).toEqual(['for-ever']);
  });
});

describe('5.11.1: hydration', () => {
  const LABEL = 'karpenter.kwok.sh/kwoknodeclass';
  const without = { metadata: { labels: { [LABEL]: null } } };

  test('5.11.1: claims and nodes of older versions get the label with their node class', async () => {
    env.startOperator();
    const [claim] = await applied(env, NodeClaims, nodeClaim());
    await env.clock.advance(2000);
    const nodeName = (await snapshot(env)).nodes[0]?.metadata.name ?? '';
    const labels = async () => {
      const { claims, nodes } = await snapshot(env);
      return [claims[0]?.metadata.labels?.[LABEL], nodes[0]?.metadata.labels?.[LABEL]];
    };
    expect(await labels()).toEqual(['default', 'default']);
    await patched(env, NodeClaims, claim?.metadata.name ?? '', without);
    await patched(env, Nodes, nodeName, without);
    await env.clock.advance(500);
    expect(await labels()).toEqual(['default', 'default']);
  });

  test('5.11.1: a node that was there before its claim had its id gets it too', async () => {
    const create = async (claim: NodeClaim) => ({ ...claim, status: { providerID: 'kwok://early' } });
    await applied(env, Nodes, { metadata: { name: 'early' }, spec: { providerID: 'kwok://early' } });
    env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }) });
    await env.clock.advance(5000);
    await applied(env, NodeClaims, nodeClaim());
    await env.clock.advance(1000);
    expect((await snapshot(env)).nodes[0]?.metadata.labels?.[LABEL]).toBe('default');
  });

  test('5.11.1: claims of other providers get none', async () => {
    env.startOperator();
    await applied(env, NodeClaims, nodeClaim({ spec: { nodeClassRef: OTHER_CLASS } }));
    await env.clock.advance(1000);
    expect((await onlyClaim(env))?.metadata.labels).toBeUndefined();
  });
});
