import { expect, test } from 'vitest';
import { nodePool } from '../../../../test/factories/index.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { InstanceType, Offering } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { AWS_GROUP } from '../../apis/ec2-node-class.ts';
import { OfferingMetrics } from './offering-metrics.ts';

const CLASS = { group: AWS_GROUP, version: 'v1', kind: 'EC2NodeClass', plural: 'ec2nodeclasses' };
const GAUGES: readonly string[] = [
  'cloudprovider_instance_type_offering_available',
  'cloudprovider_instance_type_offering_price_estimate',
];
const { signal } = new AbortController();

const pool = (name: string, group = AWS_GROUP) =>
  nodePool({
    metadata: { name },
    spec: { template: { spec: { nodeClassRef: { group, kind: 'EC2NodeClass', name: 'default' } } } },
  });

function offering(capacityType: string, zone: string, available: boolean, price: number): Offering {
  const labels = { 'karpenter.sh/capacity-type': capacityType, 'topology.kubernetes.io/zone': zone };
  return { requirements: Requirements.fromLabels(labels), available, price };
}

const type = (name: string, ...offerings: readonly Offering[]): InstanceType => ({
  name,
  offerings,
  requirements: new Requirements(),
  capacity: {},
  overhead: {},
});

/** What is told of the pools' types, as `type/capacity type/zone: available price`, and what the reconciliation ends with. */
async function told(typesOf: Readonly<Record<string, readonly InstanceType[] | Error>>, reservedCapacity = false) {
  const gauges = new Map<string, number[]>();
  const controller = new OfferingMetrics({
    nodePools: { list: () => [...Object.keys(typesOf).map((name) => pool(name)), pool('foreign', 'example.com')] },
    cloud: {
      supportedNodeClasses: () => [CLASS],
      getInstanceTypes: async ({ metadata }: NodePool) => {
        const types = typesOf[metadata.name] ?? new Error('asked for a foreign pool');
        if (types instanceof Error) throw types;
        return types;
      },
    },
    metrics: {
      gauge: (name, value, labels = {}) => {
        const key = Object.values(labels).join('/');
        const values = gauges.get(key) ?? [];
        values[GAUGES.indexOf(name)] = value;
        gauges.set(key, values);
      },
    },
    reservedCapacity,
  });
  const result = await controller.reconcile('all', signal).catch((error: unknown) => String(error));
  return { result, gauges: Object.fromEntries(gauges) };
}

test('each minute every offering is told with its price, and whether it is on sale', async () => {
  const m5 = type('m5.large', offering('on-demand', 'a', true, 0.1), offering('spot', 'a', false, 0.03));
  const { result, gauges } = await told({ p: [m5, type('c5.large', offering('spot', 'b', true, 0.02))] });
  expect(result).toEqual({ requeueAfter: 60_000 });
  expect(gauges).toEqual({
    'm5.large/on-demand/a': [1, 0.1],
    'm5.large/spot/a': [0, 0.03],
    'c5.large/spot/b': [1, 0.02],
  });
});

test('an offering is on sale where it is for any pool', async () => {
  const [yes, no] = [true, false].map((available) => type('m5.large', offering('spot', 'a', available, 0.03)));
  for (const order of [[yes, no] as const, [no, yes] as const]) {
    const [one, two] = order.map((found) => (found ? [found] : []));
    expect((await told({ one: one ?? [], two: two ?? [] })).gauges).toEqual({ 'm5.large/spot/a': [1, 0.03] });
  }
});

test('with reserved capacity, zones without a reservation have a series that is zero', async () => {
  const m5 = type(
    'm5.large',
    offering('on-demand', 'a', true, 0.1),
    offering('on-demand', 'b', true, 0.1),
    offering('reserved', 'b', true, 0.00001),
  );
  const { gauges } = await told({ p: [m5] }, true);
  expect(gauges).toMatchObject({ 'm5.large/reserved/a': [0, 0], 'm5.large/reserved/b': [1, 0.00001] });
});

test('a pool whose types are not known keeps no other from being told, and is asked again', async () => {
  const m5 = type('m5.large', offering('spot', 'a', true, 0.03));
  const { result, gauges } = await told({ broken: new Error('no subnets found'), p: [m5] });
  expect(result).toBe('Error: getting instance types of NodePool broken, no subnets found');
  expect(gauges).toEqual({ 'm5.large/spot/a': [1, 0.03] });
});
