import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, eventually, patched, running } from '../../../test/expectations/index.ts';
import { nodeOverlay, nodePool, requesting, unschedulablePod } from '../../../test/factories/index.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import { NodeOverlays, NodePools, Pods } from '../../kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../operator/options.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';

const ON = { featureGates: { ...DEFAULT_FEATURE_GATES, NodeOverlay: true } };
const GPU = 'example.com/gpu';
const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const;
const PRICE_OVERLAID = 'karpenter.sh/price-overlay-applied';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

const pending = (resources: Record<string, string> = { cpu: '1' }) => unschedulablePod({ spec: requesting(resources) });

const wantingGpu = () => {
  const resources = { requests: { cpu: '100m', [GPU]: '1' }, limits: { [GPU]: '1' } };
  return unschedulablePod({ spec: { containers: [{ name: 'main', image: 'pause', resources }] } });
};

/** Overlay → what its ValidationSucceeded says, and whether it is Ready. */
async function verdicts(): Promise<Record<string, string>> {
  const { items } = await env.client.list(NodeOverlays);
  return Object.fromEntries(
    items.map(({ metadata, status }) => {
      const of = (type: string) => status?.conditions?.find((condition) => condition.type === type);
      return [metadata.name, `${of('ValidationSucceeded')?.reason} ${of('Ready')?.status}`];
    }),
  );
}

describe('with the gate on', () => {
  test('what an overlay makes cheapest is bought, and the claim says why', async () => {
    env.startOperator(ON);
    await applied(env, NodeOverlays, nodeOverlay({ requirements: [ON_DEMAND], priceAdjustment: '-95%' }));
    await applied(env, NodePools, nodePool());
    await applied(env, Pods, pending());
    const { nodes, claims } = await eventually(env, (now) => now.nodes.length === 1);
    expect(nodes[0]?.metadata.labels?.['karpenter.sh/capacity-type']).toBe('on-demand');
    expect(claims[0]?.metadata.annotations).toMatchObject({ [PRICE_OVERLAID]: 'true' });
  });

  test('a pod gets the resource that an overlay promises, from one node', async () => {
    env.startOperator(ON);
    await applied(env, NodeOverlays, nodeOverlay({ capacity: { [GPU]: '2' } }));
    await applied(env, NodePools, nodePool());
    await applied(env, Pods, wantingGpu(), wantingGpu());
    const { nodes, claims } = await eventually(env, (now) => running(now) === 2);
    expect(nodes.map((node) => node.status?.capacity?.[GPU])).toEqual(['2']);
    expect(claims[0]?.metadata.annotations).toMatchObject({ 'karpenter.sh/capacity-overlay-applied': 'true' });
  });

  test('a launch that a restart interrupts ends as it was begun', async () => {
    const { kill } = env.startOperator(ON);
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '30s' } });
    await applied(env, NodeOverlays, nodeOverlay({ capacity: { [GPU]: '1' } }));
    await applied(env, NodePools, nodePool());
    await applied(env, Pods, wantingGpu());
    await eventually(env, (now) => now.claims.some((claim) => claim.status?.providerID));
    await kill();
    env.startOperator(ON);
    const { nodes } = await eventually(env, (now) => running(now) === 1);
    expect(nodes.map((node) => node.status?.capacity?.[GPU])).toEqual(['1']);
  });

  test('each overlay says whether it is in force, and is judged anew when another one goes', async () => {
    env.startOperator(ON);
    await applied(env, NodePools, nodePool());
    await applied(env, NodeOverlays, nodeOverlay({ price: '1' }, 'a'), nodeOverlay({ price: '2' }, 'b'));
    const leased = { ...ON_DEMAND, values: ['leased'] };
    await applied(env, NodeOverlays, nodeOverlay({ requirements: [leased], price: '1' }, 'invalid'));
    await env.clock.advance(5000);
    expect(await verdicts()).toEqual({
      a: 'Conflict False',
      b: 'ValidationSucceeded True',
      invalid: 'RuntimeValidation False',
    });
    await env.client.delete(NodeOverlays, { name: 'b' });
    await env.clock.advance(5000);
    expect(await verdicts()).toMatchObject({ a: 'ValidationSucceeded True' });
    await patched(env, NodeOverlays, 'invalid', { spec: { requirements: [ON_DEMAND], weight: 5 } });
    await env.clock.advance(5000);
    expect(await verdicts()).toEqual({ a: 'ValidationSucceeded True', invalid: 'ValidationSucceeded True' });
  });

  test('a changed overlay makes consolidation look again', async () => {
    const { operator } = env.startOperator(ON);
    await applied(env, NodePools, nodePool());
    await env.clock.advance(5000);
    const before = operator.cluster.consolidationState();
    await applied(env, NodeOverlays, nodeOverlay({ price: '1' }));
    await env.clock.advance(1000);
    expect(operator.cluster.consolidationState()).not.toBe(before);
  });

  test('a pool whose types can’t be had holds up no other, and is tried again', async () => {
    const kwok = env.kwok();
    let isBroken = true;
    const getInstanceTypes: CloudProvider['getInstanceTypes'] = async (pool) => {
      if (isBroken && pool.metadata.name === 'broken') throw new Error('no such region');
      return await kwok.getInstanceTypes(pool);
    };
    env.startOperator(ON, { cloud: withMethods(kwok, { getInstanceTypes }) });
    await applied(env, NodePools, nodePool({ metadata: { name: 'broken' }, spec: { weight: 10 } }));
    await applied(env, NodePools, nodePool({ metadata: { name: 'whole' } }));
    await applied(env, NodeOverlays, nodeOverlay({ price: '1' }));
    await applied(env, Pods, pending());
    const first = await eventually(env, (now) => now.claims.length === 1);
    expect(first.claims.map((c) => c.metadata.labels?.['karpenter.sh/nodepool'])).toEqual(['whole']);
    isBroken = false;
    await env.clock.advance(120_000);
    await applied(env, Pods, pending({ cpu: '200' }));
    const { claims } = await eventually(env, (now) => now.claims.length === 2);
    expect(claims.map((c) => c.metadata.labels?.['karpenter.sh/nodepool']).sort()).toEqual(['broken', 'whole']);
  });

  test('what the provider begins to sell is overlaid within six hours', async () => {
    const kwok = env.kwok();
    const all = await kwok.getInstanceTypes(nodePool());
    let sold: readonly InstanceType[] = all.slice(1);
    env.startOperator(ON, { cloud: withMethods(kwok, { getInstanceTypes: async () => sold }) });
    await applied(env, NodePools, nodePool());
    await applied(env, NodeOverlays, nodeOverlay({ price: '1' }));
    await env.clock.advance(5000);
    sold = all;
    await env.clock.advance(6 * 3_600_000);
    const nodeSelector = { 'node.kubernetes.io/instance-type': all[0]?.name ?? '' };
    await applied(env, Pods, unschedulablePod({ spec: { nodeSelector } }));
    const { claims } = await eventually(env, (now) => now.claims.length === 1);
    expect(claims[0]?.metadata.annotations).toMatchObject({ [PRICE_OVERLAID]: 'true' });
  });
});

test('with the gate off overlays are left alone', async () => {
  env.startOperator();
  await applied(env, NodeOverlays, nodeOverlay({ requirements: [ON_DEMAND], priceAdjustment: '-95%' }, 'a'));
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, pending());
  const { nodes } = await eventually(env, (now) => now.nodes.length === 1);
  expect(nodes[0]?.metadata.labels?.['karpenter.sh/capacity-type']).toBe('spot');
  expect(await verdicts()).toEqual({ a: 'undefined undefined' });
});

/** The provider with some methods exchanged; the others keep their own `this`. */
function withMethods(cloud: CloudProvider, methods: Partial<CloudProvider>): CloudProvider {
  return new Proxy(cloud, {
    get(target, key) {
      const own: unknown = Reflect.get(key in methods ? methods : target, key);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
