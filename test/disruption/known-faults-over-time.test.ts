/** Cases from users' reports about upstream that need time to pass; the numbers are those of test/known-faults.ts. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodePool } from '../../src/apis/node-pool.ts';
import { InsufficientCapacityError } from '../../src/cloudprovider/errors.ts';
import { Deployments, Events, NodePools, PodDisruptionBudgets, Pods } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, conditionsOf, eventually, patched, running, type Snapshot, snapshot } from '../expectations/index.ts';
import { deployment, nodePool, type Overrides, requesting, unschedulablePod } from '../factories/index.ts';
import { alteredCloud } from '../support/altered-cloud.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

const MINUTE = 60_000;
const largest = (cpu: number) => [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const,
  { key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lte', values: [String(cpu)] } as const,
];
async function pool(cpu: number, spec: Overrides<NodePool['spec']> = {}, name = 'default'): Promise<string> {
  const base = nodePool({ metadata: { name }, spec: { template: { spec: { requirements: largest(cpu) } }, ...spec } });
  await applied(env, NodePools, base);
  return name;
}
async function workload(replicas: number, overrides: Parameters<typeof deployment>[1] = {}): Promise<string> {
  const [made] = await applied(env, Deployments, deployment(replicas, overrides));
  await eventually(
    env,
    (now) =>
      now.pods.filter((p) => p.metadata.labels?.app === made?.metadata.name && p.status?.phase === 'Running').length ===
      replicas,
  );
  return made?.metadata.name ?? '';
}
const leaving = ({ nodes, claims }: Snapshot): number =>
  Math.max(
    nodes.filter((n) => n.spec.taints?.some(({ key }) => key === 'karpenter.sh/disrupted')).length,
    claims.filter((c) => c.metadata.deletionTimestamp).length,
  );
/** Pods that ask for three cpus: one to a node of four. */
const BIG = { spec: { template: { spec: requesting({ cpu: '3' }) } } };

test('B56: a pool without nodes has no budget to speak of', async () => {
  env.startOperator();
  await pool(4, { disruption: { budgets: [{ nodes: '0' }] } });
  await env.clock.advance(2 * MINUTE);
  expect((await env.client.list(Events)).items.filter((e) => e.reason === 'DisruptionBlocked')).toEqual([]);
});

test('B60: a budget of one lets all three drifted nodes go within its window, one at a time', async () => {
  const { clock } = env;
  const budgets = [
    { nodes: '1', schedule: '45 * * * *', duration: '15m' },
    { nodes: '0', schedule: '0 * * * *', duration: '45m' },
  ];
  env.startOperator();
  const name = await pool(4, { disruption: { consolidateAfter: 'Never', budgets } });
  await workload(3, BIG);
  const first = new Set((await snapshot(env)).claims.map(({ metadata }) => metadata.name));
  expect(first.size).toBe(3);
  await patched(env, NodePools, name, { spec: { template: { metadata: { labels: { edition: 'two' } } } } });
  const minuteOfHour = (): number => Math.floor(clock.now() / MINUTE) % 60;
  let most = 0;
  const left: number[] = [];
  const before = async () => (await snapshot(env)).claims.filter(({ metadata }) => first.has(metadata.name)).length;
  while (minuteOfHour() < 44) await clock.advance(MINUTE);
  left.push(await before());
  while (minuteOfHour() !== 0) {
    await clock.advance(2000);
    most = Math.max(most, leaving(await snapshot(env)));
  }
  left.push(await before());
  expect([left, most]).toEqual([[3, 0], 1]);
});

test('B78: a replacement that is sold out is forgotten at once, and new pods get the node that is there', async () => {
  const kwok = env.kwok();
  let soldOut = false;
  let refused = 0;
  const cloud = alteredCloud(kwok, {
    create: async (claim) => {
      if (soldOut) {
        refused++;
        // The pods come while the replacement is being asked for.
        if (refused === 1)
          await applied(
            env,
            Pods,
            ...['new-1', 'new-2'].map((n) =>
              unschedulablePod({ metadata: { name: n }, spec: requesting({ cpu: '20' }) }),
            ),
          );
        throw new InsufficientCapacityError('sold out');
      }
      return await kwok.create(claim);
    },
  });
  env.startOperator({}, { cloud });
  await pool(64);
  const name = await workload(50);
  soldOut = true;
  await patched(env, Deployments, name, { spec: { replicas: 2 } });
  await eventually(env, () => refused > 0, 3 * MINUTE);
  soldOut = false;
  const now = await eventually(env, (s) => running(s) === 4, MINUTE);
  expect([now.nodes.length, now.claims.length, leaving(now)]).toEqual([1, 1, 0]);
});

test('B82: a claim is not drifted for a moment while it is launched', async () => {
  const kwok = env.kwok();
  const cloud = alteredCloud(kwok, {
    create: async (claim) => {
      await env.clock.sleep(5000);
      return await kwok.create(claim);
    },
  });
  env.startOperator({}, { cloud });
  await pool(4);
  await applied(env, Pods, unschedulablePod({ spec: requesting({ cpu: '1' }) }));
  const seen = new Set<string>();
  for (let i = 0; i < 400; i++) {
    await env.clock.advance(50);
    for (const claim of (await snapshot(env)).claims) for (const c of conditionsOf(claim)) seen.add(c);
  }
  expect([...seen].filter((c) => c.startsWith('Drifted') || c === 'Launched=True')).toEqual(['Launched=True']);
});

test('B84: an expired node whose last pod can not leave is replaced once, for the pods that can', async () => {
  env.startOperator();
  const stuck = { name: 'stuck', namespace: 'default' };
  await applied(env, PodDisruptionBudgets, {
    metadata: stuck,
    spec: { selector: { matchLabels: { app: 'stuck' } }, maxUnavailable: 0 },
  });
  const name = await pool(4, {
    disruption: { consolidateAfter: 'Never' },
    template: { spec: { requirements: largest(4), expireAfter: '10m' } },
  });
  await applied(
    env,
    Deployments,
    deployment(1, { metadata: { name: 'stuck' }, spec: { template: { spec: requesting({ cpu: '500m' }) } } }),
  );
  await workload(3, { metadata: { name: 'free' } });
  expect((await snapshot(env)).nodes).toHaveLength(1);
  await patched(env, NodePools, name, { spec: { template: { spec: { expireAfter: 'Never' } } } });
  let most = 0;
  for (let i = 0; i < 120; i++) {
    await env.clock.advance(30_000);
    most = Math.max(most, (await snapshot(env)).claims.length);
  }
  const now = await snapshot(env);
  const at = (app: string) =>
    new Set(now.pods.filter((p) => p.metadata.labels?.app === app).map((p) => p.spec.nodeName));
  expect([most, running(now), now.nodes.length, at('free').size]).toEqual([2, 4, 2, 1]);
  expect([...at('stuck')]).not.toEqual([...at('free')]);
});

test('B94: a pool whose launches are refused holds up no other, and its claim goes', async () => {
  const kwok = env.kwok();
  const cloud = alteredCloud(kwok, {
    create: async (claim) => {
      if (claim.metadata.labels?.['karpenter.sh/nodepool'] === 'dear')
        throw new InsufficientCapacityError('spot above on-demand');
      return await kwok.create(claim);
    },
  });
  env.startOperator({}, { cloud });
  await pool(4, {}, 'dear');
  await pool(4, {}, 'sound');
  const forPool = (name: string) =>
    unschedulablePod({ spec: { ...requesting({ cpu: '1' }), nodeSelector: { 'karpenter.sh/nodepool': name } } });
  await applied(env, Pods, forPool('dear'), forPool('sound'));
  await eventually(env, (now) => running(now) === 1, 10_000);
  await eventually(
    env,
    ({ claims }) => claims.every((c) => c.metadata.labels?.['karpenter.sh/nodepool'] === 'sound'),
    10_000,
  );
});
