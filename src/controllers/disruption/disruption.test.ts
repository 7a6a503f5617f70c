import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import {
  applied,
  eventsSoFar,
  eventually,
  patched,
  running,
  type Snapshot,
  snapshot,
} from '../../../test/expectations/index.ts';
import { deployment, nodePool, type Overrides, pod } from '../../../test/factories/index.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Client } from '../../kube/client.ts';
import { Deployments, Events, NodeClaims, NodePools, Nodes, Pods } from '../../kube/resources.ts';
import { PromMetrics } from '../../operator/prom-metrics.ts';

const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const;
const LARGEST = (cpu: number) =>
  ({ key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lte', values: [String(cpu)] }) as const;

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

/** A pool of on-demand nodes with at most `cpu` cpus. */
async function pool(cpu: number, spec: Overrides<NodePool['spec']> = {}): Promise<string> {
  const requirements = [ON_DEMAND, LARGEST(cpu)];
  const [made] = await applied(env, NodePools, nodePool({ spec: { template: { spec: { requirements } }, ...spec } }));
  return made?.metadata.name ?? '';
}
const workload = async (replicas: number, overrides: Parameters<typeof deployment>[1] = {}): Promise<string> => {
  const [made] = await applied(env, Deployments, deployment(replicas, overrides));
  await eventually(env, (now) => running(now) === replicas);
  return made?.metadata.name ?? '';
};
const scale = (name: string, replicas: number) => patched(env, Deployments, name, { spec: { replicas } });
const disrupted = ({ nodes }: Snapshot): string[] =>
  nodes.filter((n) => n.spec.taints?.some((t) => t.key === 'karpenter.sh/disrupted')).map((n) => n.metadata.name);
const linesOf = async (metrics: PromMetrics, prefix: string): Promise<string[]> =>
  (await metrics.text()).body
    .split('\n')
    .flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
const DISRUPTION = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' } as const;

test('many small nodes become fewer when their pods have room elsewhere', async () => {
  env.startOperator();
  await pool(4);
  const name = await workload(9);
  expect((await snapshot(env)).nodes).toHaveLength(3);
  await scale(name, 5);
  await eventually(env, (now) => now.nodes.length === 2 && running(now) === 5, 180_000);
});

test('consolidateAfter is waited for, from the last pod that came or went', async () => {
  env.startOperator();
  await pool(4, { disruption: { ...DISRUPTION, consolidateAfter: '2m' } });
  const name = await workload(3);
  await env.clock.advance(60_000);
  await scale(name, 0);
  await env.clock.advance(110_000);
  expect((await snapshot(env)).nodes).toHaveLength(1);
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
});

test('what looked right must look right again fifteen seconds later', async () => {
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

test('a Balanced pool tells by how much a move that it approves is worth it', async () => {
  const metrics = new PromMetrics(env.kwok());
  env.startOperator({}, { metrics });
  const name = await pool(4, { disruption: { ...DISRUPTION, consolidationPolicy: 'Balanced' } });
  const pods = await workload(9);
  await scale(pods, 5);
  await eventually(env, (now) => now.nodes.length === 2 && running(now) === 5, 180_000);
  const { items } = await env.client.list(Events);
  const [approved] = items.filter((e) => e.reason === 'ConsolidationApproved');
  expect(approved?.message).toMatch(
    /^score \d+\.\d\d >= threshold 0\.50 \(k: 2, savings \d+\.\d%, disruption \d+\.\d%\)$/,
  );
  expect(await linesOf(metrics, 'karpenter_consolidation_moves_total{')).toEqual([
    `nodepool="${name}",policy="Balanced",decision="approved"} 1`,
  ]);
  expect(await linesOf(metrics, 'karpenter_consolidation_score_count{')).toHaveLength(1);
});

describe('budgets', () => {
  test('limit how many nodes go at once', async () => {
    const metrics = new PromMetrics(env.kwok());
    env.startOperator({}, { metrics });
    const poolName = await pool(4, { disruption: { ...DISRUPTION, budgets: [{ nodes: '1' }] } });
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
    expect(await linesOf(metrics, `karpenter_nodepools_allowed_disruptions{nodepool="${poolName}"`)).toContain(
      ',reason="Empty"} 1',
    );
  });

  test('of zero block, and the pool says so', async () => {
    env.startOperator();
    await pool(4, { disruption: { ...DISRUPTION, budgets: [{ nodes: '0' }] } });
    await scale(await workload(3), 0);
    await env.clock.advance(120_000);
    expect((await snapshot(env)).nodes).toHaveLength(1);
    const { items } = await env.client.list(Events);
    expect(items.filter((e) => e.involvedObject.kind === 'NodePool').map((e) => e.message)).toContain(
      'No allowed disruptions for disruption reason Empty due to blocking budget',
    );
  });
});

test('a pod that must not be disrupted keeps its node, and the node says which', async () => {
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
  const racing: Client = {
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    create: (...args) => client.create(...args),
    update: (...args) => client.update(...args),
    delete: (...args) => client.delete(...args),
    patch: async (resource, ref, patch, ...rest) => {
      if (late === undefined && JSON.stringify(patch.body).includes('karpenter.sh/disrupted')) {
        late = ref.name;
        await applied(env, Pods, pod({ metadata: { name: 'late', annotations }, spec: { nodeName: ref.name } }));
      }
      return await client.patch(resource, ref, patch, ...rest);
    },
  };
  env.startOperator({}, { client: racing });
  await pool(4);
  await scale(await workload(3), 0);
  await eventually(env, () => late !== undefined, 120_000);
  await env.clock.advance(60_000);
  const now = await snapshot(env);
  expect(now.pods.map((p) => [p.metadata.name, p.metadata.deletionTimestamp])).toEqual([['late', undefined]]);
  expect([now.nodes.length, disrupted(now)]).toEqual([1, []]);
});

test('when a replacement does not come up, the node is given back', async () => {
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

test('the old node stays until its replacement is ready, and both say what is going on', async () => {
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

test('a replacement that takes more than ten minutes is waited for no longer, and is kept as any other node', async () => {
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

test('taints that a killed controller left behind are taken off again', async () => {
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
