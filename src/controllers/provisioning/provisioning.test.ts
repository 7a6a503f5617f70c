import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventsSoFar, eventually, patched, running, snapshot } from '../../../test/expectations/index.ts';
import {
  deployment,
  nodeClaim,
  nodePool,
  type Overrides,
  requesting,
  unschedulablePod,
} from '../../../test/factories/index.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { CreateError } from '../../cloudprovider/errors.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import { DaemonSets, Deployments, Events, LimitRanges, NodeClaims, NodePools, Pods } from '../../kube/resources.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

/** A pool that sells types of at most so many cpus. */
const smallPool = (cpu: number, spec: Overrides<NodePool['spec']> = {}) => {
  const requirements = [{ key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lte', values: [String(cpu)] }] as const;
  return nodePool({ spec: { template: { spec: { requirements: [...requirements] } }, ...spec } });
};
const pending = (cpu: string) => unschedulablePod({ spec: requesting({ cpu }) });
const messages = async (reason: string) =>
  (await env.client.list(Events)).items.filter((e) => e.reason === reason).map((e) => e.message);

test('pods that come within a second of each other are planned together', async () => {
  env.startOperator();
  await applied(env, NodePools, nodePool());
  await env.clock.advance(1000);
  for (let i = 0; i < 5; i++) {
    await applied(env, Pods, pending('1'));
    await env.clock.advance(800);
  }
  expect((await snapshot(env)).claims).toEqual([]);
  await env.clock.advance(1000);
  const { claims } = await snapshot(env);
  expect(claims.map((claim) => claim.spec.resources?.requests?.cpu)).toEqual(['5']);
});

test('pods that wait for a node on its way get no second one', async () => {
  env.startOperator();
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, pending('1'));
  await env.clock.advance(60_000);
  const { claims, nodes } = await snapshot(env);
  expect([claims.length, nodes.length]).toEqual([1, 1]);
});

test('daemons that ask for nothing weigh what a LimitRange will give them', async () => {
  env.startOperator();
  await applied(env, LimitRanges, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits', namespace: 'default' },
    spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '500m' } }] },
  });
  const labels = { app: 'agent' };
  await applied(env, DaemonSets, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'pause' }] } },
    },
  });
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, pending('1'));
  await env.clock.advance(2000);
  const { claims } = await snapshot(env);
  expect(claims.map((claim) => claim.spec.resources?.requests?.cpu)).toEqual(['1500m']);
});

test('a claim carries what its pool says, and the hash that drift compares', async () => {
  env.startOperator();
  const metadata = { labels: { team: 'a' }, annotations: { note: 'n' } };
  const [pool] = await applied(env, NodePools, nodePool({ spec: { template: { metadata } } }));
  await applied(env, Pods, pending('1'));
  const { claims } = await eventually(env, (now) => now.claims.length === 1);
  const hash = (await env.client.get(NodePools, { name: pool?.metadata.name ?? '' })).metadata.annotations;
  expect(claims[0]?.metadata).toMatchObject({
    labels: { team: 'a', 'karpenter.sh/nodepool': pool?.metadata.name, 'karpenter.kwok.sh/kwoknodeclass': 'default' },
    annotations: { note: 'n', 'karpenter.sh/nodepool-hash': hash?.['karpenter.sh/nodepool-hash'] },
    ownerReferences: [{ kind: 'NodePool', uid: pool?.metadata.uid, blockOwnerDeletion: true }],
  });
});

describe('a pod that no pool can take', () => {
  test('is told why, once', async () => {
    env.startOperator();
    await applied(env, NodePools, smallPool(4));
    await applied(env, Pods, pending('6'));
    await env.clock.advance(60_000);
    const told = await messages('FailedScheduling');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^Failed to schedule pod, .*no instance type has enough resources/);
    expect((await snapshot(env)).claims).toEqual([]);
  });

  test('is told so when there is no pool at all', async () => {
    env.startOperator();
    await applied(env, Pods, pending('1'));
    await env.clock.advance(10_000);
    expect(await messages('FailedScheduling')).toEqual(['Failed to schedule pod, no dynamic nodepools found']);
  });

  test('is helped as soon as a pool can', async () => {
    env.startOperator();
    const [pool] = await applied(env, NodePools, smallPool(4));
    await applied(env, Pods, pending('6'));
    await env.clock.advance(5000);
    await patched(env, NodePools, pool?.metadata.name ?? '', { spec: { template: { spec: { requirements: [] } } } });
    await eventually(env, ({ claims }) => claims.length === 1, 15_000);
  });
});

test('a pool with a mistake in it is not used, and says what is wrong', async () => {
  env.startOperator();
  const taints = [{ key: 'a', effect: 'NoSchedule' }];
  const [pool] = await applied(
    env,
    NodePools,
    nodePool({ spec: { template: { spec: { taints, startupTaints: taints } } } }),
  );
  await applied(env, Pods, pending('1'));
  await env.clock.advance(5000);
  const { status } = await env.client.get(NodePools, { name: pool?.metadata.name ?? '' });
  expect(status?.conditions?.find((c) => c.type === 'Ready')?.status).toBe('False');
  expect(status?.conditions?.find((c) => c.type === 'ValidationSucceeded')?.message).toMatch(/duplicate taint/);
  expect((await snapshot(env)).claims).toEqual([]);
});

test('limits hold over many passes, counting what is on its way', async () => {
  env.startOperator();
  const [pool] = await applied(env, NodePools, smallPool(4, { limits: { cpu: '12' } }));
  await applied(env, Deployments, deployment(20));
  await env.clock.advance(60_000);
  const now = await snapshot(env);
  expect(now.claims).toHaveLength(3);
  expect(running(now)).toBe(9);
  const { status } = await env.client.get(NodePools, { name: pool?.metadata.name ?? '' });
  expect([status?.resources?.cpu, status?.nodes]).toEqual(['12', 3]);
});

test('pods of a node that is going away get room elsewhere before they are evicted', async () => {
  env.startOperator();
  await applied(env, NodePools, nodePool());
  await applied(env, Deployments, deployment(2));
  const { claims } = await eventually(env, (now) => running(now) === 2);
  const protectedPods = { spec: { template: { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': '30s' } } } } };
  await applied(env, Deployments, deployment(1, protectedPods));
  await eventually(env, (now) => running(now) === 3);
  await env.client.delete(NodeClaims, { name: claims[0]?.metadata.name ?? '' });
  await eventually(env, (now) => now.claims.some((c) => !c.metadata.deletionTimestamp && c.status?.nodeName));
  await eventually(env, (now) => running(now) === 3 && now.claims.length === 1, 90_000);
});

test('events tell pods where they will run', async () => {
  env.startOperator();
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, pending('1'));
  const { claims } = await eventually(env, (now) => now.claims.length === 1);
  await env.clock.settle();
  expect(await eventsSoFar(env)).toContain('Pod Nominated');
  expect(await messages('Nominated')).toEqual([`Pod should schedule on: nodeclaim/${claims[0]?.metadata.name}`]);
});

test('a pool whose requirements leave nothing to buy says so', async () => {
  env.startOperator();
  await applied(env, NodePools, smallPool(0));
  await applied(env, Pods, pending('1'));
  await env.clock.advance(5000);
  expect(await messages('NoCompatibleInstanceTypes')).toEqual([
    'NodePool requirements filtered out all compatible available instance types',
  ]);
});

test('a claim that is deleted before any watch shows it does not block everything else', async () => {
  const { operator } = env.startOperator();
  await env.clock.advance(1000);
  operator.cluster.expectNodeClaim(nodeClaim({ metadata: { name: 'lost' } }));
  expect(operator.cluster.synced).toBe(false);
  await env.clock.advance(31_000);
  expect(operator.cluster.synced).toBe(true);
});

test('a pool that can not launch holds up neither the others nor itself more than once', async () => {
  const kwok = env.kwok();
  const create: CloudProvider['create'] = async (claim) => {
    if (claim.metadata.labels?.team === 'broken') throw new CreateError('refused', 'QuotaExceeded', 'ask for more');
    return await kwok.create(claim);
  };
  const cloud = alteredCloud(kwok, { create });
  env.startOperator({}, { cloud });
  const poolOf = (team: string) => nodePool({ spec: { template: { metadata: { labels: { team } } } } });
  const podOf = (team: string) => unschedulablePod({ spec: { ...requesting({ cpu: '1' }), nodeSelector: { team } } });
  await applied(env, NodePools, poolOf('broken'), poolOf('sound'));
  await applied(env, Pods, podOf('broken'));
  await env.clock.advance(10_000);
  await applied(env, Pods, podOf('sound'));
  await eventually(env, ({ nodes }) => nodes.length === 1, 5000);
  await env.clock.advance(120_000);
  const { claims } = await snapshot(env);
  expect(claims.map((claim) => claim.metadata.labels?.team).sort()).toEqual(['broken', 'sound']);
});

test('claims that can not be launched count against the limits of their pool', async () => {
  let isSelling = false;
  const kwok = env.kwok();
  const create: CloudProvider['create'] = async (claim) => {
    if (!isSelling) throw new CreateError('refused', 'QuotaExceeded', 'ask for more');
    return await kwok.create(claim);
  };
  env.startOperator({}, { cloud: alteredCloud(kwok, { create }) });
  await applied(env, NodePools, nodePool({ spec: { limits: { nodes: '2' } } }));
  for (let i = 0; i < 4; i++) {
    await applied(env, Pods, unschedulablePod({ spec: requesting({ cpu: '1' }) }));
    await env.clock.advance(20_000);
  }
  expect((await snapshot(env)).claims).toHaveLength(2);
  isSelling = true;
  await env.clock.advance(120_000);
  expect((await snapshot(env)).nodes).toHaveLength(2);
});
