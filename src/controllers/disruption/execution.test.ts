import { afterEach, beforeEach, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { eventually, patched, running, samples, snapshot } from '../../../test/expectations/index.ts';
import { alteredClient } from '../../../test/support/altered-client.ts';
import { disrupted, SmallCluster } from '../../../test/support/small-cluster.ts';
import type { Client } from '../../kube/client.ts';
import { ApiError } from '../../kube/errors.ts';
import { NodeClaims, NodePools } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

let env: TestEnvironment;
let cluster: SmallCluster;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
  cluster = new SmallCluster(env);
  metrics = new PromMetrics(env.kwok());
});
afterEach(async () => await env.close());

/** Starts the operator on an API that refuses some of its writes. */
function startRefusing(refuses: (verb: 'create' | 'patch', path: string, body: string) => boolean): void {
  const client = env.api.client('karpenter');
  const check = (...args: Parameters<typeof refuses>): void => {
    if (refuses(...args)) throw new ApiError({ code: 503, message: 'no' });
  };
  const patch: Client['patch'] = async (resource, ref, body, ...rest) => {
    check('patch', `${resource.plural}/${ref.name}`, JSON.stringify(body.body));
    return await client.patch(resource, ref, body, ...rest);
  };
  const create: Client['create'] = async (resource, object, ...rest) => {
    check('create', resource.plural, JSON.stringify(object));
    return await client.create(resource, object, ...rest);
  };
  env.startOperator({}, { client: alteredClient(client, { patch, create }), metrics });
}
const isTaint = (path: string, body: string): boolean =>
  path.startsWith('nodes/') && body.includes('karpenter.sh/disrupted');

/** One large node of which two pods are left, so that a smaller one will do. */
async function oversized(): Promise<void> {
  await cluster.pool(64);
  const name = await cluster.workload(20);
  await env.clock.advance(30_000);
  await cluster.scale(name, 2);
}
const delayNodes = (nodeRegistrationDelay: string) =>
  patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay } });

test('7.13.1: a node that is to be replaced is tainted, and its claim says why', async () => {
  env.startOperator();
  await oversized();
  await delayNodes('1h');
  const now = await eventually(env, (s) => s.claims.length === 2, 120_000);
  expect(disrupted(now)).toHaveLength(1);
  const old = now.claims.find((claim) => claim.status?.nodeName === disrupted(now)[0]);
  expect(old?.status?.conditions?.find((c) => c.type === 'DisruptionReason')).toMatchObject({
    status: 'True',
    reason: 'Underutilized',
    message: 'Underutilized',
  });
});

test('7.13.1: a node that can not be marked is not replaced', async () => {
  let down = true;
  startRefusing((verb, path, body) => down && verb === 'patch' && isTaint(path, body));
  await oversized();
  await env.clock.advance(120_000);
  expect((await snapshot(env)).claims).toHaveLength(1);
  down = false;
  await eventually(env, (now) => now.claims.length === 2, 120_000);
});

test('7.13.1: of nodes that are only deleted, those go that can be marked', async () => {
  let stuck: string | undefined;
  startRefusing((_, path, body) => isTaint(path, body) && path === `nodes/${stuck}`);
  await cluster.pool(4);
  const name = await cluster.workload(6);
  stuck = (await snapshot(env)).nodes[0]?.metadata.name;
  await cluster.scale(name, 0);
  const now = await eventually(env, (s) => s.nodes.length === 1, 60_000);
  expect(now.nodes[0]?.metadata.name).toBe(stuck);
  stuck = undefined;
  await eventually(env, (s) => s.nodes.length === 0, 60_000);
});

test('7.13.2: when the replacement can not be created, the node is given back and tried again', async () => {
  let failures = 0;
  let armed = false;
  startRefusing((verb, path) => armed && verb === 'create' && path === 'nodeclaims' && failures++ < 1);
  await oversized();
  armed = true;
  await eventually(env, (now) => failures > 0 && disrupted(now).length === 0, 120_000);
  await eventually(env, (now) => now.claims.length === 2, 120_000);
});

test('7.13.3: the pods of a node that is being replaced get one new node, not two', async () => {
  env.startOperator();
  await oversized();
  await delayNodes('1m');
  await eventually(env, (now) => now.claims.length === 2, 120_000);
  let most = 0;
  const done = await eventually(
    env,
    (now) => {
      most = Math.max(most, now.claims.length);
      return now.claims.length === 1 && running(now) === 2;
    },
    180_000,
  );
  expect([most, done.nodes.length]).toEqual([2, 1]);
});

test('7.13.4: pods are told which node takes them, and the decision is counted, in all and by pool', async () => {
  env.startOperator({}, { metrics });
  const nodepool = await cluster.pool(4);
  const name = await cluster.workload(9);
  // A pod is told no more than once in two minutes.
  await env.clock.advance(130_000);
  await cluster.shrink(name, [2, 2, 1]);
  await eventually(env, (now) => now.nodes.length === 2 && running(now) === 5, 180_000);
  const told = await cluster.told('Nominated', 'Pod');
  expect(told).toContainEqual(expect.stringMatching(/^Pod should schedule on: nodeclaim\/\S+, node\/\S+$/));
  const labels = { decision: 'delete', reason: 'underutilized', consolidation_type: 'single' };
  const decisions = 'karpenter_voluntary_disruption_decisions';
  expect(await samples(metrics, `${decisions}_total`)).toEqual([{ labels, value: 1 }]);
  expect(await samples(metrics, `${decisions}_by_nodepool_total`)).toEqual([
    { labels: { ...labels, nodepool }, value: 1 },
  ]);
});

test('7.13.7: what did not come up is counted, and stays as any other node', async () => {
  env.startOperator({}, { metrics });
  await oversized();
  await delayNodes('14m');
  await eventually(env, (now) => now.claims.length === 2, 120_000);
  await eventually(env, (now) => disrupted(now).length === 0, 620_000);
  const labels = { decision: 'replace', reason: 'underutilized', consolidation_type: 'single' };
  const failures = 'karpenter_voluntary_disruption_queue_failures_total';
  expect(await samples(metrics, failures)).toEqual([{ labels, value: 1 }]);
  expect((await snapshot(env)).claims).toHaveLength(2);
});

test('7.13.6: a command that succeeds at its last attempt, after its time, has succeeded', async () => {
  const client = env.api.client('karpenter');
  let until: number | undefined;
  const refusing: Client['delete'] = async (resource, ref, ...rest) => {
    if (resource.plural === 'nodeclaims') {
      until ??= env.clock.now() + 600_001;
      if (env.clock.now() < until) throw new ApiError({ code: 503 });
    }
    await client.delete(resource, ref, ...rest);
  };
  env.startOperator({}, { client: alteredClient(client, { delete: refusing }), metrics });
  await cluster.pool(4);
  await cluster.scale(await cluster.workload(3), 0);
  await eventually(env, () => until !== undefined, 60_000);
  await eventually(env, (now) => now.nodes.length === 0, 610_000);
  const disrupted = await samples(metrics, 'karpenter_nodeclaims_disrupted_total');
  expect(disrupted.map(({ labels, value }) => [labels.reason, value])).toEqual([['empty', 1]]);
});

test('7.13.5: of several nodes each is counted once, though the API hiccups while they are deleted', async () => {
  const client = env.api.client('karpenter');
  let hiccups = 2;
  const flaky: Client['delete'] = async (resource, ...rest) => {
    if (resource.plural === 'nodeclaims' && hiccups-- > 0) throw new ApiError({ code: 503 });
    await client.delete(resource, ...rest);
  };
  env.startOperator({}, { client: alteredClient(client, { delete: flaky }), metrics });
  await cluster.pool(4);
  await cluster.scale(await cluster.workload(6), 0);
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
  const total = await samples(metrics, 'karpenter_nodeclaims_disrupted_total');
  expect(total.reduce((sum, { value }) => sum + value, 0)).toBe(2);
});

test('7.7.3: a drifted node whose replacement fails is taken again at the next look, and again', async () => {
  env.startOperator();
  const pool = await cluster.pool(4);
  await cluster.workload(3);
  await delayNodes('1h');
  await patched(env, NodePools, pool, { spec: { template: { metadata: { labels: { v: '2' } } } } });
  for (let attempt = 1; attempt <= 3; attempt++) {
    const now = await eventually(env, (s) => s.claims.length === 2 && disrupted(s).length === 1, 30_000);
    const replacement = now.claims.find((claim) => claim.metadata.labels?.v === '2');
    await env.client.delete(NodeClaims, { name: replacement?.metadata.name ?? '' });
    await eventually(env, (s) => disrupted(s).length === 0, 5000);
  }
});
