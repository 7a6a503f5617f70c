import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Deployments, NodeClaims, NodePools } from '../src/kube/resources.ts';
import { TestEnvironment } from './environment.ts';
import {
  applied,
  conditionsOf,
  eventsSoFar,
  eventually,
  patched,
  running,
  type Snapshot,
} from './expectations/index.ts';
import { deployment, nodePool } from './factories/index.ts';
import { DyingClient } from './support/dying-client.ts';

const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const;
const onDemand = (spec: Parameters<typeof nodePool>[0] = {}) =>
  nodePool({ spec: { template: { spec: { requirements: [ON_DEMAND] } } }, ...spec });

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

const scale = (name: string, replicas: number) => patched(env, Deployments, name, { spec: { replicas } });
const typeOf = ({ claims }: Snapshot): string[] =>
  claims.map((claim) => claim.metadata.labels?.['node.kubernetes.io/instance-type'] ?? '');

test('a deployment gets nodes, loses them for cheaper ones when it shrinks, and all of them when it is gone', async () => {
  env.startOperator();
  await applied(env, NodePools, onDemand());
  await applied(env, Deployments, deployment(12, { metadata: { name: 'inflate' } }));
  const grown = await eventually(env, (now) => running(now) === 12, 10_000);
  expect(typeOf(grown)).toEqual(['c-16x-amd64-linux']);

  await scale('inflate', 2);
  const shrunk = await eventually(
    env,
    (now) => running(now) === 2 && typeOf(now).join() === 'c-4x-amd64-linux',
    120_000,
  );
  expect(shrunk.nodes).toHaveLength(1);
  expect(shrunk.pods.every((pod) => pod.spec.nodeName === shrunk.nodes[0]?.metadata.name)).toBe(true);

  await scale('inflate', 0);
  await eventually(env, (now) => now.claims.length === 0 && now.nodes.length === 0, 120_000);
  expect(await eventsSoFar(env)).toEqual(
    expect.arrayContaining([
      'Pod Nominated',
      'Pod Evicted',
      'NodeClaim DisruptionLaunching',
      'NodeClaim DisruptionTerminating',
      'Node DisruptionTerminating',
      'Node ConsolidationCandidate',
    ]),
  );
});

test('a claim is led to the end of its lifecycle, and its node carries what the pool asks for', async () => {
  env.startOperator();
  const template = {
    metadata: { labels: { team: 'web' }, annotations: { note: 'x' } },
    spec: {
      requirements: [ON_DEMAND],
      taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }],
    },
  };
  await applied(env, NodePools, nodePool({ spec: { template } }));
  const tolerations = [{ key: 'dedicated', operator: 'Exists' }];
  await applied(env, Deployments, deployment(1, { spec: { template: { spec: { tolerations } } } }));
  const { claims, nodes } = await eventually(env, (now) => running(now) === 1);
  expect(conditionsOf(claims[0] ?? expect.fail('no claim'))).toEqual(
    expect.arrayContaining(['Initialized=True', 'Launched=True', 'Ready=True', 'Registered=True']),
  );
  const [node] = nodes;
  expect(node?.metadata.labels).toMatchObject({
    team: 'web',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'karpenter.kwok.sh/kwoknodeclass': 'default',
  });
  expect(node?.metadata.annotations).toMatchObject({ note: 'x', 'kwok.x-k8s.io/node': 'fake' });
  expect(node?.metadata.finalizers).toEqual(['karpenter.sh/termination']);
  expect(node?.spec.taints).toEqual([{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }]);
});

test('changing the template of a pool replaces its nodes', async () => {
  env.startOperator();
  const [pool] = await applied(env, NodePools, onDemand());
  await applied(env, Deployments, deployment(3));
  const before = await eventually(env, (now) => running(now) === 3);
  await patched(env, NodePools, pool?.metadata.name ?? '', {
    spec: { template: { metadata: { labels: { v: '2' } } } },
  });
  const after = await eventually(
    env,
    (now) => running(now) === 3 && now.claims.length === 1 && now.claims[0]?.metadata.labels?.v === '2',
    180_000,
  );
  expect(after.claims[0]?.metadata.uid).not.toBe(before.claims[0]?.metadata.uid);
});

test('deleting a claim by hand drains its node, and the pods move', async () => {
  env.startOperator();
  await applied(env, NodePools, onDemand());
  await applied(env, Deployments, deployment(2));
  const before = await eventually(env, (now) => running(now) === 2);
  const name = before.claims[0]?.metadata.name ?? '';
  await env.client.delete(NodeClaims, { name });
  const after = await eventually(env, (now) => running(now) === 2 && !now.claims.some((c) => c.metadata.name === name));
  expect(after.claims).toHaveLength(1);
  expect(after.nodes).toHaveLength(1);
});

describe('killed in the middle of a scale-up', () => {
  /** Enough to reach from the first write to well past the last one that a scale-up needs. */
  test.each(Array.from({ length: 16 }, (_, i) => i + 1))(
    'after write %d and started again, it ends as if nothing had happened',
    async (writes) => {
      const dead = Promise.withResolvers<void>();
      const client = new DyingClient(env.api.client('karpenter'), writes, dead.resolve);
      const { kill } = env.startOperator({}, { client });
      await applied(env, NodePools, onDemand());
      await applied(env, Deployments, deployment(40));
      await env.clock.runUntil(() => client.isDead, 20_000);
      void kill();
      env.startOperator();
      const now = await eventually(env, (s) => running(s) === 40 && s.claims.length === s.nodes.length, 60_000);
      expect(new Set(now.nodes.map((node) => node.spec.providerID))).toEqual(
        new Set(now.claims.map((claim) => claim.status?.providerID)),
      );
      expect(now.claims.map((c) => c.spec.resources?.requests?.cpu)).toEqual(['40']);
    },
  );
});
