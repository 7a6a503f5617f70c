/** The known faults that concern EC2, through the whole controller with the EC2 provider. */
import { afterEach, expect, test, vi } from 'vitest';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { EC2NodeClass } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { causeOf, InsufficientCapacityError } from '../../src/cloudprovider/errors.ts';
import type { Deployment } from '../../src/kube/objects.ts';
import { Deployments, NodeClaims, NodeOverlays, NodePools, Pods } from '../../src/kube/resources.ts';
import { DEFAULT_OPTIONS, type OperatorOptions } from '../../src/operator/options.ts';
import { applied, patched } from '../expectations/index.ts';
import { deployment, nodeOverlay, nodePool, requesting } from '../factories/index.ts';
import type { Overrides } from '../factories/merge.ts';
import { AwsEnvironment } from './aws-environment.ts';
import { poolOf } from './fake-ec2.ts';
import { LaunchRig } from './launch-rig.ts';

const MINUTE_MS = 60_000;
const EITHER = ['spot', 'on-demand'];
const of = (key: string, ...values: readonly string[]) => ({ key, operator: 'In' as const, values });
const CAPACITY = 'karpenter.sh/capacity-type';
const TYPE = 'node.kubernetes.io/instance-type';

// Half an hour of a cluster, on a machine that has other things to do.
vi.setConfig({ testTimeout: 120_000 });

let world: AwsEnvironment;
afterEach(async () => await world?.close());

type Requirements = NodePool['spec']['template']['spec']['requirements'];

interface World {
  readonly pools: Readonly<Record<string, Requirements>>;
  readonly class?: Overrides<EC2NodeClass>;
  readonly operator?: Partial<OperatorOptions>;
  readonly missingMiB?: number;
  readonly before?: (cloud: AwsEnvironment['aws']['cloud']) => void;
}

/** A cluster whose pools, all of one class, are ready to launch. */
async function open({ pools, operator = {}, missingMiB, before, ...given }: World): Promise<void> {
  world = await AwsEnvironment.open({ operator });
  before?.(world.aws.cloud);
  world.startCluster(20_000, {}, missingMiB);
  await world.nodeClass({ ...given.class, metadata: { name: 'default' } });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  for (const [name, requirements] of Object.entries(pools)) {
    const template = { spec: { nodeClassRef, requirements } };
    const disruption = { consolidateAfter: '1m', budgets: [{ nodes: '100%' }] };
    await applied(world.env, NodePools, nodePool({ metadata: { name }, spec: { template, disruption } }));
  }
  await world.startOperator();
  await world.env.clock.advance(10_000);
}

async function run(replicas: number, cpu: string, overrides: Overrides<Deployment> = {}): Promise<void> {
  const spec = { ...requesting({ cpu }), ...overrides.spec?.template?.spec };
  const object = deployment(replicas, {
    metadata: { name: 'web', ...overrides.metadata },
    spec: { template: { spec } },
  });
  await world.env.client.create(Deployments, object);
}

/** What runs now: `spot m5.large`, sorted. */
const instances = (): readonly string[] =>
  world.aws.cloud.running
    .map(({ data }) => {
      const reserved =
        data.CapacityReservationSpecification?.CapacityReservationPreference === 'capacity-reservations-only';
      return `${reserved ? 'reserved' : (data.InstanceLifecycle ?? 'on-demand')} ${data.InstanceType}`;
    })
    .sort();
const runningPods = async (): Promise<number> =>
  (await world.env.client.list(Pods)).items.filter(({ status }) => status?.phase === 'Running').length;

test('B42: a type whose nodes turn out smaller than promised is bought once, and then a larger one', async () => {
  await open({ pools: { m5: [of(TYPE, 'm5.large', 'm5.xlarge'), of(CAPACITY, 'on-demand')] }, missingMiB: 400 });
  const requests = { cpu: '100m', memory: '6700Mi' };
  await run(1, '100m', {
    spec: { template: { spec: { containers: [{ name: 'app', image: 'app', resources: { requests } }] } } },
  });
  await world.env.clock.advance(15 * MINUTE_MS);
  expect(await runningPods()).toBe(1);
  expect(instances()).toEqual(['on-demand m5.xlarge']);
  expect(world.aws.cloud.instances.size).toBe(2);
});

test('B68: where no spot is on sale a node is replaced on demand, and B70: returns to spot once there is some', async () => {
  await open({ pools: { both: [of(CAPACITY, ...EITHER), of('karpenter.k8s.aws/instance-family', 'm5')] } });
  const { cloud } = world.aws;
  const spot = cloud.instanceTypes.flatMap(({ InstanceType = '' }) =>
    [...cloud.zones.keys()].map((zone) => poolOf('spot', InstanceType, zone)),
  );
  for (const pool of spot) cloud.capacity.set(pool, 0);
  await run(6, '1');
  await world.env.clock.advance(3 * MINUTE_MS);
  expect(instances()).toEqual(['on-demand m5.2xlarge']);

  await patched(world.env, Deployments, 'web', { spec: { replicas: 2 } });
  await world.env.clock.advance(12 * MINUTE_MS);
  expect(instances()).toEqual(['on-demand m5.xlarge']);
  expect(await runningPods()).toBe(2);

  for (const pool of spot) cloud.capacity.delete(pool);
  await world.env.clock.advance(12 * MINUTE_MS);
  expect(instances()).toEqual(['spot m5.xlarge']);
  expect(await runningPods()).toBe(2);
});

test('B92: a type that is sold here as spot only, and there on demand only, is not asked for where it is sold out', async () => {
  const rig = new LaunchRig();
  await rig.start();
  const reason = { reason: 'InsufficientInstanceCapacity' };
  rig.unavailableOfferings.markUnavailable('m5.large', 'us-west-2a', 'spot', reason);
  rig.unavailableOfferings.markUnavailable('m5.large', 'us-west-2a', 'on-demand', reason);
  rig.unavailableOfferings.markUnavailable('m5.large', 'us-west-2b', 'spot', reason);
  const requirements = [of(TYPE, 'm5.large'), of(CAPACITY, ...EITHER), of('topology.kubernetes.io/zone', 'us-west-2a')];
  const error = await rig.create(rig.claim({ spec: { requirements } })).catch((thrown: unknown) => thrown);
  expect(causeOf(error, InsufficientCapacityError)).toBeDefined();
  expect(rig.fleets).toEqual([]);
});

test('B94: a pool whose launches EC2 refuses holds up no other, and where spot costs more on demand is bought', async () => {
  await open({
    pools: {
      refused: [of(TYPE, 'c5.large'), of(CAPACITY, 'on-demand')],
      dear: [of(TYPE, 'm5.large'), of(CAPACITY, ...EITHER)],
    },
    before: (cloud) => {
      for (const zone of cloud.zones.keys()) {
        cloud.poolFailures.set(poolOf('on-demand', 'c5.large', zone), { code: 'InvalidBlockDeviceMapping' });
        cloud.spotPrices.set(`m5.large/${zone}`, 5);
      }
    },
  });
  const only = (pool: string) => ({
    spec: { template: { spec: { nodeSelector: { 'karpenter.sh/nodepool': pool } } } },
  });
  await run(1, '1', { metadata: { name: 'first' }, ...only('refused') });
  await world.env.clock.advance(20_000);
  await run(1, '1', { metadata: { name: 'second' }, ...only('dear') });
  await world.env.clock.advance(2 * MINUTE_MS);
  expect(instances()).toEqual(['on-demand m5.large']);
  expect(await runningPods()).toBe(1);
});

test('B96: two spot nodes are bought rather than one of a type that is sold on demand only', async () => {
  await open({
    pools: { both: [of(CAPACITY, ...EITHER), of(TYPE, 'm5.4xlarge', 'm5.24xlarge')] },
    before: (cloud) => {
      for (const zone of cloud.zones.keys()) cloud.spotPrices.delete(`m5.24xlarge/${zone}`);
    },
  });
  await run(20, '1');
  await world.env.clock.advance(2 * MINUTE_MS);
  expect(instances()).toEqual(['spot m5.4xlarge', 'spot m5.4xlarge']);
  expect(await runningPods()).toBe(20);
});

test('B98: what an overlay makes cheaper than spot is launched on demand, and stays', async () => {
  const featureGates = { ...DEFAULT_OPTIONS.featureGates, NodeOverlay: true };
  await open({
    pools: { both: [of(CAPACITY, ...EITHER), of(TYPE, 'm5.large')] },
    operator: { featureGates },
    before: (cloud) => {
      for (const zone of cloud.zones.keys()) cloud.spotPrices.set(`m5.large/${zone}`, 0.05);
    },
  });
  const overlay = nodeOverlay({ requirements: [of(CAPACITY, 'on-demand')], priceAdjustment: '-68%' });
  await applied(world.env, NodeOverlays, overlay);
  await world.env.clock.advance(10_000);
  await run(1, '1');
  await world.env.clock.advance(15 * MINUTE_MS);
  expect(instances()).toEqual(['on-demand m5.large']);
  expect(world.aws.cloud.instances.size).toBe(1);
});

test('B82: a claim does not drift while it is launched, nor, B80: by a label that claims of the time before lack', async () => {
  await open({ pools: { plain: [of(TYPE, 'm5.large')] } });
  const drifted = new Set<string>();
  const stop = new AbortController();
  void (async () => {
    const { resourceVersion } = await world.env.client.list(NodeClaims);
    for await (const { type, object } of world.env.client.watch(NodeClaims, { resourceVersion }, stop.signal)) {
      if (type === 'ERROR' || type === 'BOOKMARK') continue;
      if (object.status?.conditions?.some((c) => c.type === 'Drifted' && c.status === 'True')) {
        drifted.add(object.metadata.name);
      }
    }
  })().catch(() => undefined);
  await run(1, '1');
  await world.env.clock.advance(2 * MINUTE_MS);
  const [claim] = (await world.env.client.list(NodeClaims)).items;
  const flex = 'karpenter.k8s.aws/instance-capability-flex';
  expect(claim?.metadata.labels?.[flex]).toBe('false');
  await patched(world.env, NodeClaims, claim?.metadata.name ?? '', { metadata: { labels: { [flex]: null } } });
  await patched(world.env, NodePools, 'plain', {
    spec: { template: { spec: { requirements: [of(TYPE, 'm5.large'), of(flex, 'false')] } } },
  });
  await world.env.clock.advance(10 * MINUTE_MS);
  stop.abort();
  expect([...drifted]).toEqual([]);
  expect(world.aws.cloud.instances.size).toBe(1);
});

test('reservations are used first, and never for more instances than they have', async () => {
  await open({
    pools: { all: [of(CAPACITY, 'reserved', 'on-demand'), of(TYPE, 'm5.large')] },
    class: { spec: { capacityReservationSelectorTerms: [{ id: 'cr-1' }] } },
    before: (cloud) =>
      cloud.capacityReservations.push({
        ...{ CapacityReservationId: 'cr-1', OwnerId: '123456789012', State: 'active' },
        ...{ InstanceType: 'm5.large', AvailabilityZone: 'us-west-2a', InstanceMatchCriteria: 'targeted' },
        ...{ TotalInstanceCount: 2, AvailableInstanceCount: 2 },
      }),
  });
  await run(4, '1500m');
  await world.env.clock.advance(3 * MINUTE_MS);
  expect(instances()).toEqual(['on-demand m5.large', 'on-demand m5.large', 'reserved m5.large', 'reserved m5.large']);
  expect(await runningPods()).toBe(4);
  expect(world.aws.cloud.instances.size).toBe(4);
});
