import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { ec2Type } from '../../../../test/aws/ec2-types.ts';
import { scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { node, nodeClaim } from '../../../../test/factories/index.ts';
import { LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import { parseQuantityMilli } from '../../../kube/quantity.ts';
import type { Logger } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { DEFAULT_AWS_OPTIONS } from '../../aws-options.ts';
import type { PlacementGroup } from '../contracts.ts';
import { DefaultInstanceTypeProvider } from './instance-type-provider.ts';

type Api = Pick<Ec2Api, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const AMI = { id: 'ami-1', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] } as const;

/** Two pages of types and of offerings; what EC2 has can be changed. */
function region() {
  const clock = new VirtualClock();
  const sold = {
    types: ['m5.large', 'c5.xlarge', 'm6g.large', 'a1.large'].map(ec2Type) as InstanceTypeInfo[],
    zones: {
      'm5.large': ['us-west-2b', 'us-west-2a'],
      'c5.xlarge': ['us-west-2a'],
      'm6g.large': ['us-west-2c'],
    } as Record<string, string[]>,
  };
  const ec2 = scriptedApi<Api>({
    describeInstanceTypes: async ({ NextToken }) =>
      NextToken === undefined
        ? { InstanceTypes: sold.types.slice(0, 2), NextToken: 'more' }
        : { InstanceTypes: sold.types.slice(2) },
    describeInstanceTypeOfferings: async ({ NextToken }) => {
      const all = Object.entries(sold.zones).flatMap(([InstanceType, zones]) =>
        zones.map((Location) => ({ InstanceType: InstanceType as 'm5.large', Location })),
      );
      return NextToken === undefined
        ? { InstanceTypeOfferings: all.slice(0, 1), NextToken: 'more' }
        : { InstanceTypeOfferings: all.slice(1) };
    },
  });
  const lines: unknown[][] = [];
  const log: Logger = { info() {}, error() {}, debug: (...line) => void lines.push(line) };
  const gauges = new Map<string, number>();
  const groups: PlacementGroup[] = [];
  const provider = new DefaultInstanceTypeProvider({
    ec2: ec2.api,
    clock,
    log,
    region: 'us-west-2',
    options: DEFAULT_AWS_OPTIONS,
    expressions: undefined,
    metrics: { gauge: (name, value, labels) => void gauges.set(`${name} ${labels?.instance_type}`, value) },
    offerings: { injectOfferings: async (types) => types },
    placementGroups: { known: () => groups[0] },
  });
  return { clock, sold, ec2, lines, gauges, groups, provider };
}

async function loaded() {
  const world = region();
  await Promise.all([world.provider.updateInstanceTypes(), world.provider.updateInstanceTypeOfferings()]);
  return world;
}

const SUBNETS = ['a', 'b'].map((letter, i) => ({
  id: `subnet-${letter}`,
  zone: `us-west-2${letter}`,
  zoneID: `az${i}`,
}));
const nodeClass = (overrides: Parameters<typeof ec2NodeClass>[0] = {}): EC2NodeClass =>
  ec2NodeClass({ ...overrides, status: { subnets: SUBNETS, amis: [AMI], ...overrides.status } });

test('21: asks for types and zones as upstream does, page by page', async () => {
  const { ec2, provider, lines } = await loaded();
  const input = {
    Filters: [
      { Name: 'supported-virtualization-type', Values: ['hvm'] },
      { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
    ],
    MaxResults: 100,
  };
  expect(ec2.inputs('describeInstanceTypes')).toEqual([input, { ...input, NextToken: 'more' }]);
  const offerings = { LocationType: 'availability-zone', MaxResults: 1000 };
  expect(ec2.inputs('describeInstanceTypeOfferings')).toEqual([offerings, { ...offerings, NextToken: 'more' }]);
  const types = await provider.list(nodeClass());
  expect(types.map(({ name }) => name)).toEqual(['a1.large', 'c5.xlarge', 'm5.large', 'm6g.large']);
  const zones = types.map(({ requirements }) => [...requirements.get(LABEL_ZONE).values].sort().join());
  expect(zones).toEqual(['', 'us-west-2a', 'us-west-2a,us-west-2b', '']);
  expect(lines).toEqual([
    ['discovered instance types', { count: 4 }],
    ['discovered offerings for instance types', { 'instance-type-count': 3 }],
    ['discovered zones', { zones: ['us-west-2a', 'us-west-2b', 'us-west-2c'] }],
  ]);
});

test('21: there are no types before EC2 was asked, nor for a class without subnets', async () => {
  const { provider } = region();
  await expect(provider.list(nodeClass())).rejects.toThrow('no instance types found');
  await provider.updateInstanceTypes();
  await expect(provider.list(nodeClass())).rejects.toThrow('no instance types offerings found');
  await provider.updateInstanceTypeOfferings();
  await expect(provider.list(ec2NodeClass())).rejects.toThrow('no subnets found');
  await expect(provider.get(ec2NodeClass(), 'm5.large')).rejects.toThrow('no subnets found');
  await expect(provider.get(nodeClass(), 'm9.large')).rejects.toThrow('instance type m9.large not found in cache');
});

test('21: types stay the same objects while they are in use and nothing changes', async () => {
  const { provider, clock } = await loaded();
  const first = await provider.list(nodeClass());
  for (let minute = 0; minute < 12; minute++) {
    await clock.advance(MINUTE_MS);
    // A class of another name and with another tag has the same types.
    expect(await provider.list(nodeClass({ spec: { tags: { minute: String(minute) } } }))).toBe(first);
  }
  await provider.updateInstanceTypes();
  await provider.updateInstanceTypeOfferings();
  expect(await provider.list(nodeClass())).toBe(first);
  expect(await provider.get(nodeClass(), 'm5.large')).toBe(first.find(({ name }) => name === 'm5.large'));
});

test.each<[string, Parameters<typeof ec2NodeClass>[0]]>([
  ['its kubelet settings', { spec: { kubelet: { maxPods: 5 } } }],
  ['its AMI family', { spec: { amiFamily: 'Bottlerocket' } }],
  ['its volumes', { spec: { blockDeviceMappings: [{ rootVolume: true, ebs: { volumeSize: '1Ti' } }] } }],
  ['what it does with local disks', { spec: { instanceStorePolicy: 'RAID0' } }],
  ['its network interfaces', { spec: { networkInterfaces: [] } }],
  ['its AMIs', { status: { amis: [] } }],
  ['its zones', { status: { subnets: SUBNETS.slice(1) } }],
  [
    'its reservations',
    {
      status: {
        capacityReservations: [
          {
            id: 'cr-1',
            instanceType: 'm5.large',
            availabilityZone: 'us-west-2a',
            instanceMatchCriteria: 'open',
            ownerID: '1',
            reservationType: 'default',
            interruptible: false,
            state: 'active',
          },
        ],
      },
    },
  ],
])('21: a class that differs in %s has types of its own', async (_what, overrides) => {
  const { provider } = await loaded();
  expect(await provider.list(nodeClass(overrides))).not.toBe(await provider.list(nodeClass()));
});

test('21: what EC2 tells anew is there at once', async () => {
  const { provider, sold, lines } = await loaded();
  const before = await provider.list(nodeClass());
  lines.length = 0;
  sold.types = [...sold.types, ec2Type('r5.large')];
  await provider.updateInstanceTypes();
  sold.zones['r5.large'] = ['us-west-2a'];
  await provider.updateInstanceTypeOfferings();
  const after = await provider.list(nodeClass());
  expect([before.length, after.length]).toEqual([4, 5]);
  expect([...(after.at(-1)?.requirements.get(LABEL_ZONE).values ?? [])]).toEqual(['us-west-2a']);
  expect(lines).toEqual([
    ['discovered instance types', { count: 5 }],
    ['discovered offerings for instance types', { 'instance-type-count': 4 }],
  ]);
});

test('28: gauges tell processors and memory of each type', async () => {
  const { provider, gauges } = await loaded();
  expect(gauges.size).toBe(0);
  await provider.list(nodeClass());
  expect(gauges.get('cloudprovider_instance_type_cpu_cores m5.large')).toBe(2);
  expect(gauges.get('cloudprovider_instance_type_memory_bytes m5.large')).toBe(8 * 2 ** 30);
  expect(gauges.size).toBe(8);
});

test('21: a kubelet setting that can’t be computed for a type is an error of the class', async () => {
  const failing = { compile: () => undefined, evaluate: () => 2n ** 40n };
  const { ec2, clock } = region();
  const provider = new DefaultInstanceTypeProvider({
    ec2: ec2.api,
    clock,
    log: { debug() {}, info() {}, error() {} },
    region: 'us-west-2',
    options: DEFAULT_AWS_OPTIONS,
    expressions: failing as never,
    metrics: { gauge() {} },
    offerings: { injectOfferings: async (types) => types },
    placementGroups: { known: () => undefined },
  });
  await provider.updateInstanceTypes();
  await provider.updateInstanceTypeOfferings();
  await expect(provider.list(nodeClass({ spec: { kubelet: { maxPods: 'vcpus' } } }))).rejects.toThrow(
    /^resolving instance type a1\.large, resolving maxPods, maxPods expression evaluated to a value outside/,
  );
});

const joined = (memory: string, name = 'm5.large') =>
  node({
    metadata: { labels: { [LABEL_INSTANCE_TYPE]: name, 'kubernetes.io/arch': 'amd64' } },
    status: { capacity: { memory } },
  });
const claim = (imageID = 'ami-1') => nodeClaim({ status: { imageID } });

async function memoryOf(provider: DefaultInstanceTypeProvider, of = nodeClass(), name = 'm5.large'): Promise<number> {
  return (await provider.get(of, name)).capacity.memory ?? 0;
}

test('22: the least memory that nodes of a type have had replaces what was expected, at once', async () => {
  const { provider, lines } = await loaded();
  const others = await provider.list(nodeClass());
  expect(await memoryOf(provider)).toBe(parseQuantityMilli('7577Mi'));
  lines.length = 0;
  for (const memory of ['7700Mi', '7600Mi', '7600Mi', '7800Mi']) {
    provider.updateCapacityFromNode(joined(memory), claim(), nodeClass());
  }
  expect(await memoryOf(provider)).toBe(parseQuantityMilli('7600Mi'));
  expect(lines).toEqual(
    ['7700Mi', '7600Mi'].map((memory) => [
      'updating discovered capacity cache',
      { 'memory-capacity': memory, 'instance-type': 'm5.large' },
    ]),
  );
  // Only that type is another object now.
  const now = await provider.list(nodeClass());
  expect(now.filter((type) => !others.includes(type)).map(({ name }) => name)).toEqual(['m5.large']);
  // Also for classes that are asked for later: their expectations differ, but not what the machines have.
  expect(await memoryOf(provider, nodeClass({ spec: { kubelet: { maxPods: 5 } } }))).toBe(parseQuantityMilli('7600Mi'));
  expect(await memoryOf(provider, nodeClass({ status: { amis: [{ ...AMI, id: 'ami-2' }] } }))).toBe(
    parseQuantityMilli('7577Mi'),
  );
});

test('22: nodes of an AMI that is no longer the class’s tell nothing', async () => {
  const { provider } = await loaded();
  provider.updateCapacityFromNode(joined('7000Mi'), claim('ami-0'), nodeClass());
  provider.updateCapacityFromNode(joined('7000Mi'), nodeClaim(), nodeClass());
  expect(await memoryOf(provider)).toBe(parseQuantityMilli('7577Mi'));
});

test('3: what was discovered holds for sixty days after the last node that had it', async () => {
  const { provider, clock } = await loaded();
  provider.updateCapacityFromNode(joined('7000Mi'), claim(), nodeClass());
  await clock.advance(59 * DAY_MS);
  provider.updateCapacityFromNode(joined('7000Mi'), claim(), nodeClass());
  await clock.advance(59 * DAY_MS);
  expect(await memoryOf(provider)).toBe(parseQuantityMilli('7000Mi'));
  await clock.advance(DAY_MS);
  expect(await memoryOf(provider)).toBe(parseQuantityMilli('7577Mi'));
});

test('21: types are kept that can be as the class wants them', async () => {
  const { provider, groups, sold } = await loaded();
  sold.types = [...sold.types, ec2Type('t3.large')];
  await provider.updateInstanceTypes();
  const types = await provider.list(nodeClass());
  const kept = (of: EC2NodeClass) => provider.filterForNodeClass(types, of).map(({ name }) => name);
  expect(kept(nodeClass())).toEqual(['c5.xlarge', 'm5.large', 'm6g.large', 't3.large']);
  groups.push({ id: 'pg-1', name: 'racks', strategy: 'cluster', partitionCount: 0 });
  expect(kept(nodeClass())).toEqual(['c5.xlarge', 'm5.large', 'm6g.large']);
});
