import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import {
  applied,
  eventsSoFar,
  eventually,
  patched,
  running,
  sample,
  samples,
  snapshot,
} from '../../../test/expectations/index.ts';
import { pod } from '../../../test/factories/index.ts';
import { alteredClient } from '../../../test/support/altered-client.ts';
import { AT_ONCE, disrupted, SmallCluster } from '../../../test/support/small-cluster.ts';
import { NodeClaims, Nodes, Pods } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

let env: TestEnvironment;
let cluster: SmallCluster;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
  cluster = new SmallCluster(env);
});
afterEach(async () => await env.close());

const pool = (...args: Parameters<SmallCluster['pool']>) => cluster.pool(...args);
const workload = (...args: Parameters<SmallCluster['workload']>) => cluster.workload(...args);
const scale = (...args: Parameters<SmallCluster['scale']>) => cluster.scale(...args);

test('7.11.1: many small nodes become fewer when their pods have room elsewhere', async () => {
  env.startOperator();
  await pool(4);
  const name = await workload(9);
  expect((await snapshot(env)).nodes).toHaveLength(3);
  await scale(name, 5);
  await eventually(env, (now) => now.nodes.length === 2 && running(now) === 5, 180_000);
});

test('7.6.1: consolidateAfter is waited for, from the last pod that came or went', async () => {
  env.startOperator();
  await pool(4, { disruption: { ...AT_ONCE, consolidateAfter: '2m' } });
  const name = await workload(3);
  await env.clock.advance(60_000);
  await scale(name, 0);
  await env.clock.advance(110_000);
  expect((await snapshot(env)).nodes).toHaveLength(1);
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
});

test('7.6.3: what looked right must look right again fifteen seconds later', async () => {
  env.startOperator();
  await pool(4);
  const name = await workload(3);
  await env.clock.advance(30_000);
  await scale(name, 0);
  await eventually(env, (now) => now.pods.length === 0);
  await env.clock.advance(11_000);
  await scale(name, 3);
  await env.clock.advance(30_000);
  const now = await snapshot(env);
  expect([now.nodes.length, running(now), disrupted(now)]).toEqual([1, 3, []]);
});

test('7.12.5: a Balanced pool tells by how much a move that it approves is worth it', async () => {
  const metrics = new PromMetrics(env.kwok());
  env.startOperator({}, { metrics });
  const name = await pool(4, { disruption: { ...AT_ONCE, consolidationPolicy: 'Balanced' } });
  const pods = await workload(9);
  await cluster.shrink(pods, [2, 2, 1]);
  await eventually(env, (now) => now.nodes.length === 2 && running(now) === 5, 180_000);
  expect(await cluster.told('ConsolidationApproved')).toEqual([
    expect.stringMatching(/^score \d+\.\d\d >= threshold 0\.50 \(k: 2, savings \d+\.\d%, disruption \d+\.\d%\)$/),
  ]);
  expect(await samples(metrics, 'karpenter_consolidation_moves_total')).toEqual([
    { labels: { nodepool: name, policy: 'Balanced', decision: 'approved' }, value: 1 },
  ]);
  expect(await samples(metrics, 'karpenter_consolidation_score_count')).toHaveLength(1);
});

describe('budgets', () => {
  test('7.5.5: limit how many nodes go at once', async () => {
    const metrics = new PromMetrics(env.kwok());
    env.startOperator({}, { metrics });
    const poolName = await pool(4, { disruption: { ...AT_ONCE, budgets: [{ nodes: '1' }] } });
    const name = await workload(9);
    await env.clock.advance(30_000);
    await scale(name, 0);
    let most = 0;
    await eventually(
      env,
      (now) => {
        most = Math.max(most, now.claims.filter((c) => c.metadata.deletionTimestamp).length);
        return now.nodes.length === 0;
      },
      300_000,
    );
    expect(most).toBe(1);
    // What is under way doesn't lessen what may be under way.
    const labels = { nodepool: poolName, reason: 'Empty' };
    expect(await sample(metrics, 'karpenter_nodepools_allowed_disruptions', labels)).toBe(1);
  });

  test('7.5.5: of zero block, and the pool says so', async () => {
    env.startOperator();
    await pool(4, { disruption: { ...AT_ONCE, budgets: [{ nodes: '0' }] } });
    await scale(await workload(3), 0);
    await env.clock.advance(120_000);
    expect((await snapshot(env)).nodes).toHaveLength(1);
    expect(await cluster.told('DisruptionBlocked', 'NodePool')).toContain(
      'No allowed disruptions for disruption reason Empty due to blocking budget',
    );
  });
});

test('7.2.2: a pod that must not be disrupted keeps its node, and the node says which', async () => {
  env.startOperator();
  await pool(16);
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  await workload(1, { spec: { template: { metadata: { annotations } } } });
  await env.clock.advance(60_000);
  expect((await snapshot(env)).nodes).toHaveLength(1);
  expect(await eventsSoFar(env)).toEqual(
    expect.arrayContaining(['Node DisruptionBlocked', 'NodeClaim DisruptionBlocked']),
  );
});

test('B72: a protected pod that comes while the node is being tainted is not evicted', async () => {
  const client = env.api.client('karpenter');
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  let late: string | undefined;
  const racing = alteredClient(client, {
    patch: async (resource, ref, patch, ...rest) => {
      if (late === undefined && JSON.stringify(patch.body).includes('karpenter.sh/disrupted')) {
        late = ref.name;
        await applied(env, Pods, pod({ metadata: { name: 'late', annotations }, spec: { nodeName: ref.name } }));
      }
      return await client.patch(resource, ref, patch, ...rest);
    },
  });
  env.startOperator({}, { client: racing });
  await pool(4);
  await scale(await workload(3), 0);
  await eventually(env, () => late !== undefined, 120_000);
  await env.clock.advance(60_000);
  const now = await snapshot(env);
  expect(now.pods.map((p) => [p.metadata.name, p.metadata.deletionTimestamp])).toEqual([['late', undefined]]);
  expect([now.nodes.length, disrupted(now)]).toEqual([1, []]);
});

test('7.13.7: when a replacement does not come up, the node is given back', async () => {
  env.startOperator();
  await pool(64);
  const name = await workload(20);
  await env.clock.advance(30_000);
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1h' } });
  await scale(name, 2);
  const waiting = await eventually(env, (now) => now.claims.length === 2, 120_000);
  expect(disrupted(waiting)).toHaveLength(1);
  const replacement = waiting.claims.find((claim) => !claim.status?.nodeName)?.metadata.name ?? '';
  await env.client.delete(NodeClaims, { name: replacement });
  const now = await eventually(env, (s) => s.claims.length === 1 && disrupted(s).length === 0, 5000);
  expect([now.nodes.length, running(now)]).toEqual([1, 2]);
});

test('7.13.5: the old node stays until its replacement is ready, and both say what is going on', async () => {
  env.startOperator();
  await pool(64);
  const name = await workload(20);
  await env.clock.advance(30_000);
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '2m' } });
  await scale(name, 2);
  const waiting = await eventually(env, (now) => now.claims.length === 2, 120_000);
  const [old] = disrupted(waiting);
  await env.clock.advance(100_000);
  const still = await snapshot(env);
  expect(still.nodes.map((n) => [n.metadata.name, n.metadata.deletionTimestamp])).toEqual([[old, undefined]]);
  const done = await eventually(env, (now) => now.claims.length === 1 && running(now) === 2, 120_000);
  expect(done.nodes.map((n) => n.metadata.name)).not.toContain(old);
  expect(await eventsSoFar(env)).toEqual(
    expect.arrayContaining([
      'NodeClaim DisruptionLaunching',
      'NodeClaim DisruptionWaitingReadiness',
      'NodeClaim DisruptionTerminating',
      'Node DisruptionTerminating',
    ]),
  );
});

test('7.13.6: a replacement that takes more than ten minutes is waited for no longer, and is kept as any other node', async () => {
  env.startOperator();
  await pool(64);
  const name = await workload(20);
  await env.clock.advance(30_000);
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '14m' } });
  await scale(name, 2);
  const waiting = await eventually(env, (now) => disrupted(now).length === 1 && now.claims.length === 2, 120_000);
  const replacement = waiting.claims.find((claim) => !claim.status?.nodeName)?.metadata.name;
  await env.clock.advance(590_000);
  expect(disrupted(await snapshot(env))).toHaveLength(1);
  const now = await eventually(env, (s) => disrupted(s).length === 0, 30_000);
  expect(now.claims.map((claim) => claim.metadata.name)).toContain(replacement);
  expect([now.nodes.length, running(now)]).toEqual([1, 2]);
});

test('7.1.2: taints that a killed controller left behind are taken off again', async () => {
  const first = env.startOperator();
  await pool(64);
  const name = await workload(20);
  await env.clock.advance(30_000);
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1h' } });
  await scale(name, 2);
  await eventually(env, (now) => disrupted(now).length === 1 && now.claims.length === 2, 120_000);
  await first.kill();
  env.startOperator();
  const now = await eventually(env, (s) => disrupted(s).length === 0, 30_000);
  const [node] = (await env.client.list(Nodes)).items;
  const claim = now.claims.find((c) => c.status?.nodeName === node?.metadata.name);
  expect(claim?.status?.conditions?.some((c) => c.type === 'DisruptionReason')).toBe(false);
});
