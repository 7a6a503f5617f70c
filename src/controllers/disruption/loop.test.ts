import { afterEach, beforeEach, expect, test } from 'vitest';
import { genericInstanceTypes, toInstanceType } from '../../../kwok-provider/instance-types/index.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, sample, snapshot } from '../../../test/expectations/index.ts';
import { deployment, pod, requesting } from '../../../test/factories/index.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import { AT_ONCE, disrupted, SmallCluster } from '../../../test/support/small-cluster.ts';
import { Deployments, NodeClaims, NodePools, Nodes, Pods } from '../../kube/resources.ts';
import type { Logger } from '../../logging/logger.ts';
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

/** How often emptiness has been looked for. */
const looks = async (): Promise<number> => {
  const name = 'karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count';
  return (await sample(metrics, name, { reason: 'empty' })) ?? 0;
};
const NEVER = { ...AT_ONCE, consolidateAfter: 'Never' } as const;

test('7.1.1: disruption is looked for every ten seconds', async () => {
  env.startOperator({}, { metrics });
  await cluster.pool(4, { disruption: NEVER });
  await cluster.workload(1);
  const before = await looks();
  await env.clock.advance(100_000);
  expect((await looks()) - before).toBe(10);
});

test('7.1.1: not while a claim has not been launched, and within a second of its launch', async () => {
  const kwok = env.kwok();
  let launch = (): void => {};
  const gate = new Promise<void>((resolve) => {
    launch = resolve;
  });
  const cloud = alteredCloud(kwok, {
    create: async (...args) => {
      await gate;
      return await kwok.create(...args);
    },
  });
  env.startOperator({}, { metrics, cloud });
  await cluster.pool(4, { disruption: NEVER });
  await applied(env, Deployments, deployment(1));
  await eventually(env, (now) => now.claims.length === 1);
  const before = await looks();
  await env.clock.advance(60_000);
  expect(await looks()).toBe(before);
  launch();
  await env.clock.advance(1500);
  expect(await looks()).toBeGreaterThan(before);
});

test('7.1.3: an empty node that has drifted goes for being empty', async () => {
  env.startOperator();
  const pool = await cluster.pool(4);
  const name = await cluster.workload(3);
  await patched(env, NodePools, pool, { spec: { template: { metadata: { labels: { v: '2' } } } } });
  await cluster.scale(name, 0);
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
  expect(await cluster.told('DisruptionTerminating')).toEqual(['Disrupting Node: Empty']);
});

test('7.6.3: while one pool waits for its second look, others go on', async () => {
  env.startOperator();
  await cluster.poolFor('a');
  const other = await cluster.poolFor('b');
  const name = await cluster.workloadIn('a', 1);
  await cluster.workloadIn('b', 1);
  const { nodes } = await snapshot(env);
  const of = (team: string) => nodes.find((n) => n.metadata.labels?.team === team)?.metadata.name;
  await env.clock.advance(30_000);
  await cluster.scale(name, 0);
  await patched(env, NodePools, other, { spec: { template: { metadata: { labels: { v: '2' } } } } });
  const first = await eventually(env, (now) => disrupted(now).length > 0, 60_000);
  expect(disrupted(first)).toEqual([of('b')]);
  const both = await eventually(env, (now) => !now.nodes.some((n) => n.metadata.name === of('a')), 30_000);
  expect(both.nodes.map((n) => n.metadata.labels?.team)).toContain('b');
});

test('7.6.3: of a command that is kept in part, the nodes that it loses are counted', async () => {
  env.startOperator({}, { metrics });
  await cluster.pool(4);
  const name = await cluster.workload(6);
  const { nodes } = await snapshot(env);
  await env.clock.advance(30_000);
  await cluster.scale(name, 0);
  await eventually(env, (now) => now.pods.length === 0);
  await env.clock.advance(11_000);
  const [kept] = nodes.map((n) => n.metadata.name);
  await applied(env, Pods, pod({ metadata: { name: 'late' }, spec: { nodeName: kept } }));
  const now = await eventually(env, (s) => s.nodes.length === 1, 30_000);
  expect(now.nodes[0]?.metadata.name).toBe(kept);
  const failed = 'karpenter_voluntary_disruption_failed_validations_total';
  expect(await sample(metrics, failed, { consolidation_type: 'empty' })).toBe(nodes.length - 1);
});

test('7.3.3: what found nothing is tried again when something has changed, or after five minutes', async () => {
  const all = genericInstanceTypes().map(toInstanceType);
  let types = all.filter(({ name }) => !/-[12]x-/.test(name));
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { getInstanceTypes: async () => types }) });
  await cluster.pool(4);
  await cluster.workload(1);
  await env.clock.advance(60_000);
  types = all;
  await env.clock.advance(120_000);
  expect((await snapshot(env)).claims).toHaveLength(1);
  await eventually(env, (now) => now.claims.length === 2, 240_000);
});

test('7.3.3: where a budget kept nodes out and nothing was found, nothing is looked at again until it allows others', async () => {
  const all = genericInstanceTypes().map(toInstanceType);
  let types = all.filter(({ name }) => /^s-4x-/.test(name));
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { getInstanceTypes: async () => types }) });
  const pool = await cluster.pool(8, { disruption: { ...AT_ONCE, budgets: [{ nodes: '2' }] } });
  for (let i = 0; i < 3; i++) await cluster.workload(1, { spec: { template: { spec: requesting({ cpu: '3' }) } } });
  const before = await snapshot(env);
  expect(before.claims).toHaveLength(3);
  await env.clock.advance(60_000);
  // One of these takes two of the pods, for less than two nodes cost.
  types = all.filter(({ name }) => /^(s-4x|c-8x)-/.test(name));
  await env.clock.advance(120_000);
  expect(disrupted(await snapshot(env))).toEqual([]);
  await patched(env, NodePools, pool, { spec: { disruption: { budgets: [{ nodes: '3' }] } } });
  await eventually(env, (now) => disrupted(now).length > 1, 40_000);
});

test('7.3.3: a node that may be disrupted again is looked at at once', async () => {
  env.startOperator();
  await cluster.pool(4);
  const name = await cluster.workload(6);
  const { nodes } = await snapshot(env);
  const annotate = (node: string | undefined, value: string | null) =>
    patched(env, Nodes, node ?? '', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } } });
  for (const { metadata } of nodes) await annotate(metadata.name, 'true');
  await cluster.scale(name, 0);
  await env.clock.advance(120_000);
  expect((await snapshot(env)).nodes).toHaveLength(2);
  await annotate(nodes[0]?.metadata.name, null);
  await eventually(env, (now) => now.nodes.length === 1, 40_000);
});

test('7.5.6: a node that is deleted by hand ignores the budget, and uses it up', async () => {
  env.startOperator();
  await cluster.poolFor('a', { disruption: { ...AT_ONCE, budgets: [{ nodes: '1' }] } });
  const kept = await cluster.workloadIn('a', 3);
  const name = await cluster.workloadIn('a', 3);
  const { pods } = await snapshot(env);
  const [busy] = pods.filter((p) => p.metadata.labels?.app === kept);
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  await patched(env, Pods, busy?.metadata.name ?? '', { metadata: { annotations } });
  const claim = (await snapshot(env)).claims.find((c) => c.status?.nodeName === busy?.spec.nodeName);
  await env.client.delete(NodeClaims, { name: claim?.metadata.name ?? '' });
  await cluster.scale(name, 0);
  await env.clock.advance(90_000);
  const now = await snapshot(env);
  const going = now.claims.filter((c) => c.metadata.deletionTimestamp).map((c) => c.metadata.name);
  expect(going).toEqual([claim?.metadata.name]);
});

test('7.11.6: a replacement that is being thought of is told to its node, and when it no longer holds', async () => {
  env.startOperator({}, { metrics });
  const pool = await cluster.pool(64);
  const name = await cluster.workload(20);
  await env.clock.advance(30_000);
  const node = (await snapshot(env)).nodes[0]?.metadata.name;
  await cluster.scale(name, 2);
  await eventually(env, (now) => now.pods.length === 2);
  await env.clock.advance(11_000);
  const text = `replace: \\[${node}\\] -> \\[1 replacement\\]`;
  const savings = '\\(savings: \\$\\d+\\.\\d\\d\\)';
  expect(await cluster.told('ConsolidationCandidate')).toEqual([
    expect.stringMatching(new RegExp(`^Consolidation candidate: ${text} ${savings}$`)),
  ]);
  expect(await cluster.told('ConsolidationCandidate', 'NodeClaim')).toHaveLength(1);
  await patched(env, NodePools, pool, { spec: { disruption: { budgets: [{ nodes: '0' }] } } });
  await env.clock.advance(20_000);
  expect(await cluster.told('ConsolidationRejected')).toEqual([
    expect.stringMatching(new RegExp(`^Consolidation rejected: ${text}, reason: budget ${savings}$`)),
  ]);
  const failed = 'karpenter_voluntary_disruption_failed_validations_total';
  expect(await sample(metrics, failed, { consolidation_type: 'single' })).toBe(1);
  expect((await snapshot(env)).claims).toHaveLength(1);
});

test('7.11.7: of several nodes that no longer hold together each is told', async () => {
  env.startOperator({}, { metrics });
  const pool = await cluster.pool(4);
  const name = await cluster.workload(9);
  await cluster.shrink(name, [1, 1, 1]);
  await env.clock.advance(11_000);
  await patched(env, NodePools, pool, { spec: { disruption: { budgets: [{ nodes: '0' }] } } });
  await env.clock.advance(20_000);
  expect(await cluster.told('ConsolidationRejected')).toContainEqual(
    expect.stringMatching(
      /^Consolidation rejected: (delete|replace): \[\S+\] \(part of \d-node consolidation\), reason: budget /,
    ),
  );
  expect((await snapshot(env)).nodes).toHaveLength(3);
});

test('7.2.1: a node that may not be disrupted says why, and so does its claim', async () => {
  env.startOperator();
  await cluster.pool(4);
  const name = await cluster.workload(3);
  const node = (await snapshot(env)).nodes[0]?.metadata.name ?? '';
  await patched(env, Nodes, node, { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
  await cluster.scale(name, 0);
  await env.clock.advance(150_000);
  const said = 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation';
  for (const kind of ['Node', 'NodeClaim']) expect(await cluster.told('DisruptionBlocked', kind)).toContain(said);
  expect((await snapshot(env)).nodes).toHaveLength(1);
});

test.each([
  ['1h', 1],
  [undefined, 0],
])('7.2.2: a protected pod on a drifted node with a grace period of %s lets %i go', async (grace, going) => {
  env.startOperator();
  const pool = await cluster.pool(4, { disruption: NEVER });
  if (grace) await patched(env, NodePools, pool, { spec: { template: { spec: { terminationGracePeriod: grace } } } });
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  await cluster.workload(1, { spec: { template: { metadata: { annotations } } } });
  await patched(env, NodePools, pool, { spec: { template: { metadata: { labels: { v: '2' } } } } });
  await env.clock.advance(60_000);
  const { claims, pods } = await snapshot(env);
  expect(claims.filter((claim) => claim.metadata.deletionTimestamp)).toHaveLength(going);
  expect(pods.map((p) => p.metadata.deletionTimestamp)).toEqual([undefined]);
});

test('7.5.4: a budget with a schedule keeps nodes while it is active, and lets them go when it ends', async () => {
  env.startOperator();
  const midnight = { nodes: '0', schedule: '0 0 * * *', duration: '30m' };
  await cluster.pool(4, { disruption: { ...AT_ONCE, budgets: [midnight] } });
  await cluster.scale(await cluster.workload(3), 0);
  const end = Date.parse('2026-01-01T00:30:00Z');
  await env.clock.advance(end - env.clock.now() - 1000);
  expect((await snapshot(env)).nodes).toHaveLength(1);
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
});

test('7.6.2: all empty nodes go in one command', async () => {
  env.startOperator({}, { metrics });
  await cluster.pool(4);
  await cluster.scale(await cluster.workload(9), 0);
  await eventually(env, (now) => now.nodes.length === 0, 60_000);
  const labels = { decision: 'delete', reason: 'empty', consolidation_type: 'empty' };
  expect(await sample(metrics, 'karpenter_voluntary_disruption_decisions_total', labels)).toBe(1);
  expect(await sample(metrics, 'karpenter_nodeclaims_disrupted_total')).toBe(3);
});

test('7.13.4: a decision is logged with what goes and what comes', async () => {
  const lines: Record<string, unknown>[] = [];
  const log: Logger = {
    debug: () => {},
    error: () => {},
    info: (message, fields) => {
      if (message === 'disrupting node(s)') lines.push({ ...fields });
    },
  };
  env.startOperator({}, { log });
  const pool = await cluster.pool(64);
  const name = await cluster.workload(20);
  await env.clock.advance(30_000);
  const [node] = (await snapshot(env)).nodes;
  await cluster.scale(name, 2);
  await eventually(env, () => lines.length > 0, 120_000);
  expect(lines).toEqual([
    {
      command: expect.stringMatching(
        new RegExp(
          `^Underutilized/[0-9a-f-]+: replace: nodepools=\\[${pool}\\]: \\[${node?.metadata.name}\\] -> \\[1 replacement\\] \\(savings: \\$\\d+\\.\\d\\d\\)$`,
        ),
      ),
      'command-id': expect.any(String),
      decision: 'replace',
      reason: 'underutilized',
      'disrupted-node-count': 1,
      'replacement-node-count': 1,
      'pod-count': 2,
      'disrupted-nodes': [
        {
          Node: { name: node?.metadata.name },
          NodeClaim: { name: expect.stringContaining(pool) },
          'instance-type': node?.metadata.labels?.['node.kubernetes.io/instance-type'],
          'capacity-type': 'on-demand',
        },
      ],
      'replacement-nodes': [
        {
          'capacity-type': 'on-demand',
          'instance-types': expect.stringMatching(/^c-4x-amd64-linux, .* and \d+ other\(s\)$/),
        },
      ],
    },
  ]);
});
