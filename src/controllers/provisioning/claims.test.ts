/** What becomes of a plan: the claim that is created (docs/karpenter-core.md 3.10 and 4.7). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, snapshot } from '../../../test/expectations/index.ts';
import { nodePool, requesting, unschedulablePod } from '../../../test/factories/index.ts';
import type { NodePool, NodeSelectorRequirementWithMinValues } from '../../apis/node-pool.ts';
import type { Client } from '../../kube/client.ts';
import { NodeClaims, NodePools, Pods } from '../../kube/resources.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const asking = (...requirements: NodeSelectorRequirementWithMinValues[]): NodePool =>
  nodePool({ metadata: { name: 'p' }, spec: { template: { spec: { requirements } } } });
async function claimOf(pool: NodePool, pod = unschedulablePod({ spec: requesting({ cpu: '1' }) })) {
  env.startOperator();
  await applied(env, NodePools, pool);
  await applied(env, Pods, pod);
  const { claims } = await eventually(env, (now) => now.claims.length === 1);
  const [claim] = claims;
  if (!claim) throw new Error('no claim');
  const valuesOf = (key: string) => claim.spec.requirements.find((r) => r.key === key)?.values;
  return { claim, valuesOf };
}

describe('4.7 requirements and labels of a claim', () => {
  test('it names its types by name and the capacity types they are on sale as', async () => {
    const { claim, valuesOf } = await claimOf(
      asking({ key: 'karpenter.kwok.sh/instance-cpu', operator: 'In', values: ['2', '4'] }),
    );
    const types = valuesOf('node.kubernetes.io/instance-type') ?? [];
    expect(types.length).toBeGreaterThan(1);
    expect(types).toEqual([...types].sort());
    expect(valuesOf('karpenter.sh/capacity-type')).toEqual(['on-demand', 'spot']);
    const keys = claim.spec.requirements.map(({ key }) => key);
    expect(keys.filter((key) => /hostname|registered|initialized/.test(key))).toEqual([]);
    expect(claim.spec.resources?.requests).toMatchObject({ cpu: '1', pods: '1' });
  });

  test('it is named and its grace written as Go does both', async () => {
    const name = 'a-pool-of-a-name-as-long-as-names-of-nodes-can-be-and-then-some';
    const pool = asking();
    const { claim } = await claimOf({
      ...pool,
      metadata: { name },
      spec: {
        ...pool.spec,
        template: { ...pool.spec.template, spec: { ...pool.spec.template.spec, terminationGracePeriod: '90m' } },
      },
    });
    expect(claim.metadata.generateName).toBe(`${name}-`);
    expect(claim.metadata.name).toMatch(/^a-pool-of-a-name-as-long-as-names-of-nodes-can-be-and-then[a-z0-9]{5}$/);
    expect(claim.spec.terminationGracePeriod).toBe('1h30m0s');
  });

  test('minValues stay on the list of types', async () => {
    const key = 'node.kubernetes.io/instance-type';
    const { claim } = await claimOf(asking({ key, operator: 'Exists', minValues: 3 }));
    expect(claim.spec.requirements.find((r) => r.key === key)?.minValues).toBe(3);
  });

  test('what no provider knows becomes a label that meets it', async () => {
    const { claim } = await claimOf(
      asking(
        { key: 'example.com/tier', operator: 'In', values: ['gold'] },
        { key: 'example.com/generation', operator: 'Gt', values: ['3'] },
        { key: 'example.com/any', operator: 'Exists' },
        { key: 'example.com/none', operator: 'DoesNotExist' },
      ),
    );
    const { labels = {} } = claim.metadata;
    expect(labels['example.com/tier']).toBe('gold');
    expect(Number(labels['example.com/generation'])).toBeGreaterThan(3);
    expect(labels['example.com/any']).toMatch(/^\d+$/);
    expect(labels).not.toHaveProperty('example.com/none');
  });

  test('a pod’s choice among the pool’s values is the claim’s', async () => {
    const pod = unschedulablePod({
      spec: { ...requesting({ cpu: '1' }), nodeSelector: { 'example.com/tier': 'silver' } },
    });
    const pool = asking({ key: 'example.com/tier', operator: 'In', values: ['gold', 'silver'] });
    expect((await claimOf(pool, pod)).claim.metadata.labels).toMatchObject({ 'example.com/tier': 'silver' });
  });
});

describe('3.10 creating claims', () => {
  test('one refusal does not keep the others from being made, and is made good in the next pass', async () => {
    const client = env.api.client('karpenter');
    let refusals = 0;
    const refusing: Client = {
      get: (...args) => client.get(...args),
      list: (...args) => client.list(...args),
      watch: (...args) => client.watch(...args),
      update: (...args) => client.update(...args),
      delete: (...args) => client.delete(...args),
      patch: (...args) => client.patch(...args),
      create: async (resource, object, ...rest) => {
        if (resource.plural === NodeClaims.plural && refusals++ === 0) throw new Error('not now');
        return await client.create(resource, object, ...rest);
      },
    };
    env.startOperator({}, { client: refusing });
    await applied(env, NodePools, asking({ key: 'karpenter.kwok.sh/instance-cpu', operator: 'In', values: ['4'] }));
    const pods = ['1', '2', '3'].map((n) =>
      unschedulablePod({ metadata: { name: `p${n}` }, spec: requesting({ cpu: '3' }) }),
    );
    await applied(env, Pods, ...pods);
    await eventually(env, ({ claims }) => claims.length === 2, 5000);
    env.startCluster();
    await eventually(env, ({ claims }) => claims.length === 3, 30_000);
    expect((await snapshot(env)).claims).toHaveLength(3);
  });
});
