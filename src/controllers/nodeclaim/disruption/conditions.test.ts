import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, patched, snapshot } from '../../../../test/expectations/index.ts';
import { nodeClaim, nodePool, pod } from '../../../../test/factories/index.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { claimCondition, onlyClaim } from '../../../../test/support/only-claim.ts';
import { NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { CloudProvider } from '../../../cloudprovider/types.ts';
import { NodeClaims, NodePools, Pods } from '../../../kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../../operator/options.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** Nothing is disrupted: what is looked at is what the claim says. */
const NO_BUDGET = [{ nodes: '0' }];

interface Start {
  readonly cloud?: Partial<CloudProvider>;
  readonly pool?: NonNullable<Parameters<typeof nodePool>[0]>['spec'];
  readonly labels?: Readonly<Record<string, string>>;
}

/** One claim of a pool `web`, initialized. */
async function start({ cloud = {}, pool = {}, labels = {} }: Start = {}): Promise<void> {
  env.startCluster();
  const featureGates = { ...DEFAULT_FEATURE_GATES, StaticCapacity: true };
  env.startOperator({ featureGates }, { cloud: alteredCloud(env.kwok(), cloud) });
  const disruption = { budgets: NO_BUDGET, consolidateAfter: '1m', ...pool.disruption };
  await applied(env, NodePools, nodePool({ metadata: { name: 'web' }, spec: { ...pool, disruption } }));
  await env.clock.advance(1000);
  if (pool.replicas === undefined) {
    const { annotations } = (await env.client.get(NodePools, { name: 'web' })).metadata;
    const metadata = { labels: { 'karpenter.sh/nodepool': 'web', ...labels }, annotations };
    await applied(env, NodeClaims, nodeClaim({ metadata }));
  }
  await env.clock.advance(4000);
}

const drifted = async () => await claimCondition(env, 'Drifted');
const consolidatable = async () => (await claimCondition(env, 'Consolidatable'))?.status;
const because = (reason: string) => ({ status: 'True', reason, message: reason });
const changePool = async (spec: object): Promise<void> => {
  await patched(env, NodePools, 'web', { spec });
  await env.clock.advance(1000);
};

describe('5.13.1: drift', () => {
  test('5.13.1: a claim drifts when the template of its pool changes, and no longer when it is changed back', async () => {
    await start();
    expect(await drifted()).toBeUndefined();
    await changePool({ template: { metadata: { labels: { edition: 'two' } } } });
    expect(await drifted()).toMatchObject(because('NodePoolDrifted'));
    await changePool({ template: { metadata: { labels: null } } });
    expect(await drifted()).toBeUndefined();
  });

  test('5.13.1: a hash of another version says nothing', async () => {
    await start();
    const annotations = { 'karpenter.sh/nodepool-hash': 'other', 'karpenter.sh/nodepool-hash-version': 'v0' };
    await patched(env, NodeClaims, (await onlyClaim(env))?.metadata.name ?? '', { metadata: { annotations } });
    await env.clock.advance(1000);
    expect(await drifted()).toBeUndefined();
  });

  test('5.13.1: a claim drifts when its labels no longer meet what the pool requires', async () => {
    await start({ labels: { team: 'a' } });
    const requirements = (values: readonly string[]) => ({
      template: { spec: { requirements: [{ key: 'team', operator: 'In', values }] } },
    });
    await changePool(requirements(['a', 'b']));
    expect(await drifted()).toBeUndefined();
    await changePool(requirements(['b']));
    expect(await drifted()).toMatchObject(because('RequirementsDrifted'));
  });

  test('5.13.1: one whose type is no longer sold drifts, but not within its first hour', async () => {
    const kwok = env.kwok();
    let isSold = true;
    await start({ cloud: { getInstanceTypes: async (pool) => (isSold ? await kwok.getInstanceTypes(pool) : []) } });
    isSold = false;
    await env.clock.advance(3_590_000);
    expect(await drifted()).toBeUndefined();
    await env.clock.advance(310_000);
    expect(await drifted()).toMatchObject(because('InstanceTypeNotFound'));
  });

  test('5.13.1: a type that was found is not looked for again for half an hour', async () => {
    const kwok = env.kwok();
    let isSold = true;
    await start({ cloud: { getInstanceTypes: async (pool) => (isSold ? await kwok.getInstanceTypes(pool) : []) } });
    await env.clock.advance(3_900_000);
    isSold = false;
    await env.clock.advance(1_300_000);
    expect(await drifted()).toBeUndefined();
    await env.clock.advance(900_000);
    expect(await drifted()).toMatchObject(because('InstanceTypeNotFound'));
  });

  test('5.13.1: a sold-out offering is still one, and a reserved claim may have become on-demand', async () => {
    const kwok = env.kwok();
    const soldOut: CloudProvider['getInstanceTypes'] = async (pool) =>
      (await kwok.getInstanceTypes(pool)).map((type) => ({
        ...type,
        offerings: type.offerings.map((offering) => ({ ...offering, available: false })),
      }));
    await start({ cloud: { getInstanceTypes: soldOut, reservedCapacityLabels: new Set(['reservation']) } });
    const name = (await onlyClaim(env))?.metadata.name ?? '';
    const labels = { 'karpenter.sh/capacity-type': 'reserved', reservation: 'r-1' };
    await patched(env, NodeClaims, name, { metadata: { labels } });
    await env.clock.advance(4_500_000);
    expect(await drifted()).toBeUndefined();
    await patched(env, NodeClaims, name, { metadata: { labels: { 'topology.kubernetes.io/zone': 'nowhere' } } });
    await env.clock.advance(2_200_000);
    expect(await drifted()).toMatchObject(because('InstanceTypeNotFound'));
  });

  test('5.13.1: the provider is asked last, every five minutes and whenever the node class changes', async () => {
    let reason = '';
    let asked = 0;
    const isDrifted = async () => {
      asked++;
      return reason;
    };
    await start({ cloud: { isDrifted }, pool: { disruption: { consolidateAfter: 'Never' } } });
    reason = 'ImageDrift';
    asked = 0;
    await env.clock.advance(301_000);
    expect(asked).toBeGreaterThan(0);
    expect(await drifted()).toMatchObject(because('ImageDrift'));
    // Its pool has another class by now, which the claim's hash says nothing of.
    const annotations = { 'karpenter.sh/nodepool-hash-version': 'v0' };
    await patched(env, NodeClaims, (await onlyClaim(env))?.metadata.name ?? '', { metadata: { annotations } });
    await changePool({ template: { spec: { nodeClassRef: { name: 'another' } } } });
    expect(await drifted()).toMatchObject(because('ImageDrift'));
    reason = '';
    await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay: '1s' } });
    await env.clock.advance(1000);
    expect(await drifted()).toBeUndefined();
  });

  test('5.13.1: an instance that the provider does not know changes nothing; a claim without one has not drifted', async () => {
    await start({
      cloud: {
        isDrifted: async () => {
          throw new Error('describing', { cause: new NodeClaimNotFoundError('gone') });
        },
        create: async () => {
          throw new Error('not today');
        },
      },
    });
    await changePool({ template: { metadata: { labels: { edition: 'two' } } } });
    expect([(await claimCondition(env, 'Launched'))?.status, await drifted()]).toEqual(['Unknown', undefined]);
  });
});

describe('5.13.2: consolidatable', () => {
  test('5.13.2: a node may be consolidated when nothing has happened on it for consolidateAfter', async () => {
    await start();
    expect(await consolidatable()).toBeUndefined();
    await env.clock.advance(60_000);
    expect(await claimCondition(env, 'Consolidatable')).toMatchObject({ status: 'True', reason: 'Consolidatable' });
    const nodeName = (await snapshot(env)).nodes[0]?.metadata.name ?? '';
    await applied(env, Pods, pod({ spec: { nodeName } }));
    await env.clock.advance(1000);
    expect(await consolidatable()).toBeUndefined();
    await env.clock.advance(57_000);
    expect(await consolidatable()).toBeUndefined();
    await env.clock.advance(3000);
    expect(await consolidatable()).toBe('True');
  });

  test('5.13.2: never when the pool says so, from then on', async () => {
    await start();
    await env.clock.advance(60_000);
    expect(await consolidatable()).toBe('True');
    await changePool({ disruption: { consolidateAfter: 'Never' } });
    expect(await consolidatable()).toBeUndefined();
    await env.clock.advance(600_000);
    expect(await consolidatable()).toBeUndefined();
  });

  test('5.13.2: nodes of static pools never are', async () => {
    await start({ pool: { replicas: 1 } });
    expect(await claimCondition(env, 'Initialized')).toMatchObject({ status: 'True' });
    await env.clock.advance(300_000);
    expect(await consolidatable()).toBeUndefined();
  });

  test('5.13.2: a claim without an initialized node is not', async () => {
    const create: CloudProvider['create'] = async (claim) => ({ ...claim, status: { providerID: 'kwok://none' } });
    await start({ cloud: { create } });
    await env.clock.advance(300_000);
    expect(await consolidatable()).toBeUndefined();
  });
});
