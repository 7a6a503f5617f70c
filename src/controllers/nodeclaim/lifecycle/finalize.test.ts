import { afterEach, beforeEach, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventually, patched, snapshot } from '../../../../test/expectations/index.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { CountedMetrics } from '../../../../test/support/counted-metrics.ts';
import { claimCondition, onlyClaim } from '../../../../test/support/only-claim.ts';
import { NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { CloudProvider } from '../../../cloudprovider/types.ts';
import { Events, NodeClaims, Nodes } from '../../../kube/resources.ts';
import { formatTimestamp } from '../../../kube/timestamp.ts';

const TERMINATION_TIME = 'karpenter.sh/nodeclaim-termination-timestamp';
const metadata = { labels: { 'karpenter.sh/nodepool': 'web', 'topology.kubernetes.io/zone': 'test-zone-a' } };

let env: TestEnvironment;
let metrics: CountedMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new CountedMetrics();
});
afterEach(async () => await env.close());

/** A cluster with one claim that is going nowhere yet, and its name. */
async function started(spec: object = {}, cloud: Partial<CloudProvider> = {}): Promise<string> {
  env.startCluster();
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), cloud), metrics });
  const [claim] = await applied(env, NodeClaims, nodeClaim({ metadata, spec }));
  await env.clock.advance(5000);
  return claim?.metadata.name ?? '';
}

/** A finalizer of somebody else's keeps the node where it is. */
async function keepNode(): Promise<string> {
  const [node] = (await snapshot(env)).nodes;
  const name = node?.metadata.name ?? '';
  const finalizers = [...(node?.metadata.finalizers ?? []), 'example.com/keep'];
  await patched(env, Nodes, name, { metadata: { finalizers } });
  return name;
}

const remove = async (name: string) => await env.client.delete(NodeClaims, { name });

test('5.7.1: a deleted claim with a grace period says once by when its pods go', async () => {
  const name = await started({ terminationGracePeriod: '10m' });
  await keepNode();
  const due = formatTimestamp(env.clock.now() + 600_000);
  await remove(name);
  await env.clock.advance(30_000);
  expect((await onlyClaim(env))?.metadata.annotations?.[TERMINATION_TIME]).toBe(due);
  const events = (await env.client.list(Events)).items.filter(
    ({ reason, involvedObject }) => reason === 'TerminationGracePeriodExpiring' && involvedObject.kind === 'NodeClaim',
  );
  expect(events.map(({ type, message }) => [type, message])).toEqual([
    ['Warning', `All pods will be deleted by ${due}`],
  ]);
});

test.each([
  ['the time that is there already', { terminationGracePeriod: '10m' }, { [TERMINATION_TIME]: '2026-01-01T00:00:01Z' }],
  ['no time without a grace period', {}, {}],
])('5.7.1: a deleted claim has %s', async (_, spec, annotations) => {
  const name = await started(spec);
  await keepNode();
  await patched(env, NodeClaims, name, { metadata: { annotations } });
  await remove(name);
  await env.clock.advance(1000);
  const left = (await onlyClaim(env))?.metadata.annotations?.[TERMINATION_TIME];
  expect(left).toBe(annotations[TERMINATION_TIME as keyof typeof annotations]);
});

test('5.7.2: the node of a registered claim goes first, and the instance waits for it', async () => {
  let asked = 0;
  const name = await started(
    {},
    {
      delete: async () => {
        asked++;
        throw new NodeClaimNotFoundError('gone');
      },
    },
  );
  const nodeName = await keepNode();
  await remove(name);
  await env.clock.advance(60_000);
  const { nodes, claims } = await snapshot(env);
  expect([nodes[0]?.metadata.deletionTimestamp !== undefined, claims.length]).toEqual([true, 1]);
  expect((await env.client.get(Nodes, { name: nodeName })).metadata.finalizers).toContain('example.com/keep');
  const before = asked;
  await patched(env, Nodes, nodeName, { metadata: { finalizers: [] } });
  await env.clock.advance(1000);
  expect([asked > before, (await snapshot(env)).claims.length]).toEqual([true, 0]);
});

test('5.7.2: the node of a claim that never registered is left alone', async () => {
  const create: CloudProvider['create'] = async (claim) => ({ ...claim, status: { providerID: 'kwok://n' } });
  const gone = async () => {
    throw new NodeClaimNotFoundError('gone');
  };
  const name = await started({}, { create, delete: gone });
  await applied(env, Nodes, { metadata: { name: 'n' }, spec: { providerID: 'kwok://other' } });
  await remove(name);
  await eventually(env, ({ claims }) => claims.length === 0, 5000);
  expect((await snapshot(env)).nodes.map((node) => node.metadata.deletionTimestamp)).toEqual([undefined]);
});

test('5.7.3: the provider is asked every five seconds until the instance is gone; then all is counted', async () => {
  const times: number[] = [];
  const name = await started(
    {},
    {
      delete: async () => {
        times.push(env.clock.now());
        if (times.length > 3) throw new Error('terminating', { cause: new NodeClaimNotFoundError('gone') });
      },
    },
  );
  // Nobody drains: what is looked at here is the claim alone.
  const [node] = (await snapshot(env)).nodes;
  await patched(env, Nodes, node?.metadata.name ?? '', { metadata: { finalizers: [] } });
  await env.client.delete(Nodes, { name: node?.metadata.name ?? '' });
  await remove(name);
  await env.clock.advance(7000);
  expect(await claimCondition(env, 'InstanceTerminating')).toMatchObject({
    status: 'True',
    reason: 'InstanceTerminating',
  });
  await eventually(env, ({ claims }) => claims.length === 0, 60_000);
  const gaps = times.map((time, i) => time - (times[i - 1] ?? time));
  expect(gaps.slice(-2)).toEqual([5000, 5000]);
  expect(metrics.of('nodeclaims_instance_termination_duration_seconds')).toEqual([{ nodepool: 'web' }]);
  expect(metrics.of('nodeclaims_termination_duration_seconds')).toEqual([{ nodepool: 'web' }]);
  expect(metrics.of('nodeclaims_terminated_total')).toMatchObject([{ nodepool: 'web', zone: 'test-zone-a' }]);
});

test('5.7.4: a claim that never got an instance goes at once', async () => {
  let asked = 0;
  const name = await started(
    {},
    {
      create: async () => {
        throw new Error('not today');
      },
      delete: async () => {
        asked++;
      },
    },
  );
  await remove(name);
  await env.clock.advance(500);
  expect([(await snapshot(env)).claims.length, asked]).toEqual([0, 0]);
  expect(metrics.of('nodeclaims_terminated_total')).toEqual([
    { nodepool: 'web', capacity_type: '', zone: 'test-zone-a' },
  ]);
});

test('5.7.4: a claim that is deleted while its node is still to come takes that with it', async () => {
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1m' } });
  const name = await started();
  await remove(name);
  await env.clock.advance(120_000);
  const { claims, nodes } = await snapshot(env);
  expect([claims, nodes]).toEqual([[], []]);
});
