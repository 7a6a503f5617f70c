import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import { EC2_TYPES, ec2Type } from '../../../../test/aws/ec2-types.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { parseQuantityMilli } from '../../../kube/quantity.ts';
import { SILENT } from '../../../logging/logger.ts';
import { allocatable } from '../../../scheduling/instance-offerings.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { toResourceList } from '../../../scheduling/resource-list.ts';
import type { CapacityReservationStatus, EC2NodeClassSpec } from '../../apis/ec2-node-class.ts';
import { DEFAULT_AWS_OPTIONS } from '../../aws-options.ts';
import { resolveInstanceType } from './resolve-instance-type.ts';

const ZONES = [
  { id: 'subnet-1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-2', zone: 'us-west-2b', zoneID: 'usw2-az2' },
];

function resolve(
  type: string | InstanceTypeInfo,
  spec: Partial<EC2NodeClassSpec> = {},
  options = {},
  capacityReservations: readonly CapacityReservationStatus[] = [],
): InstanceType {
  const deps = { region: 'us-west-2', options: { ...DEFAULT_AWS_OPTIONS, ...options } };
  return resolveInstanceType(
    { ...deps, log: SILENT, expressions: undefined },
    typeof type === 'string' ? ec2Type(type) : type,
    new Set(['us-west-2a', 'us-west-2c']),
    ec2NodeClass({ spec, status: { subnets: ZONES, capacityReservations } }),
  );
}

const capacity = (...args: Parameters<typeof resolve>) => toResourceList(resolve(...args).capacity);
const reservedFor = (...args: Parameters<typeof resolve>) =>
  toResourceList(resolve(...args).overhead.kubeReserved ?? {});
const eviction = (...args: Parameters<typeof resolve>) =>
  toResourceList(resolve(...args).overhead.evictionThreshold ?? {});
const pods = (...args: Parameters<typeof resolve>) => Number(capacity(...args).pods);

/** A type's labels as text; those that must not exist are left out. */
function labels(...args: Parameters<typeof resolve>): Record<string, string> {
  const wanted = [...resolve(...args).requirements].filter(({ operator }) => operator === 'In');
  return Object.fromEntries(wanted.map(({ key, values }) => [key, [...values].join()]));
}

test.each([
  // type, memory, pods, kubeReserved (processor, memory), allocatable (processor, memory)
  ['m5.large', '7577Mi', 29, '70m', '574Mi', '1930m', '6903Mi'],
  ['m6g.large', '7518Mi', 29, '70m', '574Mi', '1930m', '6844Mi'],
  ['c5.xlarge', '7577Mi', 58, '80m', '893Mi', '3920m', '6584Mi'],
  ['t3.micro', '947Mi', 4, '70m', '299Mi', '1930m', '548Mi'],
  ['m5.24xlarge', '363724Mi', 737, '310m', '8362Mi', '95690m', '355262Mi'],
])(
  '30: golden numbers of %s, with 20Gi of storage',
  (name, memory, podCount, reservedCpu, reservedMemory, cpu, allocatableMemory) => {
    const type = resolve(name);
    expect(toResourceList(type.capacity)).toMatchObject({
      memory,
      pods: String(podCount),
      'ephemeral-storage': '20Gi',
    });
    expect(toResourceList(type.overhead.kubeReserved ?? {})).toEqual({
      cpu: reservedCpu,
      memory: reservedMemory,
      'ephemeral-storage': '1Gi',
    });
    expect(toResourceList(allocatable(type))).toMatchObject({
      cpu,
      memory: allocatableMemory,
      'ephemeral-storage': '17Gi',
    });
  },
);

describe('capacity and overhead', () => {
  test.each([
    ['p3dn.24xlarge', { 'nvidia.com/gpu': '8', 'vpc.amazonaws.com/efa': '1' }],
    ['p4d.24xlarge', { 'nvidia.com/gpu': '8', 'vpc.amazonaws.com/efa': '4' }],
    ['inf2.24xlarge', { 'aws.amazon.com/neuron': '6', 'aws.amazon.com/neuroncore': '12' }],
    ['m5.large', { 'vpc.amazonaws.com/pod-eni': '9', 'vpc.amazonaws.com/efa': '0' }],
    ['t3.large', { 'vpc.amazonaws.com/pod-eni': '0' }],
  ])('22: devices of %s', (name, devices) => expect(capacity(name)).toMatchObject(devices));

  test('22: GPUs are counted by maker', () => {
    const Gpus = [
      { Manufacturer: 'AMD', Count: 3 },
      { Manufacturer: 'Habana', Count: 2 },
      { Manufacturer: 'AMD', Count: 1 },
    ];
    const type = { ...ec2Type('m5.large'), GpuInfo: { Gpus } };
    expect(capacity(type)).toMatchObject({ 'amd.com/gpu': '4', 'habana.ai/gaudi': '2', 'nvidia.com/gpu': '0' });
    expect(labels(type)).not.toHaveProperty('karpenter.k8s.aws/instance-gpu-count');
  });

  test('22: what the class asks for of EFA replaces what the type could take', () => {
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' as const },
      { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' as const },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' as const },
    ];
    expect(capacity('p5.48xlarge')['vpc.amazonaws.com/efa']).toBe('32');
    expect(capacity('p5.48xlarge', { networkInterfaces })['vpc.amazonaws.com/efa']).toBe('2');
    // One interface of the default card carries no pods: (2 - 1) * (50 - 1) + 2.
    expect(pods('p5.48xlarge')).toBe(100);
    expect(pods('p5.48xlarge', { networkInterfaces })).toBe(51);
  });

  test('22: the share of memory that the machine keeps is an option', () => {
    expect(capacity('m5.large', {}, { vmMemoryOverheadPercent: 0 }).memory).toBe('8Gi');
    expect(capacity('m5.large', {}, { vmMemoryOverheadPercent: 0.1 }).memory).toBe('7372Mi');
  });
});

describe('pods', () => {
  test.each([
    ['maxPods', { maxPods: 10 }, 'AL2023', 10],
    ['an expression for it without the gate', { maxPods: 'vcpus' }, 'AL2023', 29],
    ['podsPerCore', { podsPerCore: 4 }, 'AL2023', 8],
    ['more podsPerCore than there are addresses', { podsPerCore: 100 }, 'AL2023', 29],
    ['both', { podsPerCore: 100, maxPods: 50 }, 'AL2023', 50],
    ['podsPerCore on Bottlerocket, which has none', { podsPerCore: 4 }, 'Bottlerocket', 29],
    ['Windows, which counts no addresses', {}, 'Windows2022', 110],
    ['images of users', {}, 'Custom', 29],
  ] as const)('22: %s', (_name, kubelet, amiFamily, count) => {
    expect(pods('m5.large', { kubelet, amiFamily })).toBe(count);
  });

  test('22: interfaces that are kept back hold none', () => {
    expect(pods('m5.large', {}, { reservedENIs: 1 })).toBe(20);
    expect(pods('m5.large', {}, { reservedENIs: 5 })).toBe(0);
  });

  test('22: memory is reserved for all that have an address, but on Bottlerocket and Windows for as many as there may be', () => {
    const kubelet = { maxPods: 10 };
    const memory = (amiFamily: 'AL2' | 'Bottlerocket' | 'Windows2019') =>
      reservedFor('m5.large', { kubelet, amiFamily }, { reservedENIs: 1 }).memory;
    expect(memory('AL2')).toBe('574Mi');
    expect(memory('Bottlerocket')).toBe('365Mi');
    expect(memory('Windows2019')).toBe('365Mi');
  });
});

describe('ephemeral storage', () => {
  const volume = (deviceName: string, volumeSize?: string, rootVolume?: boolean) => ({
    deviceName,
    ...(rootVolume === undefined ? {} : { rootVolume }),
    ebs: volumeSize === undefined ? { snapshotID: 'snap-1' } : { volumeSize },
  });
  const storage = (spec: Partial<EC2NodeClassSpec>, type = 'm5.large') =>
    capacity(type, spec)['ephemeral-storage'] ?? '';

  test.each([
    ['the root volume', 'AL2023', [volume('/dev/xvda', '10Gi'), volume('/dev/xvdb', '30Gi', true)], '30Gi'],
    [
      'the data device of the family',
      'Bottlerocket',
      [volume('/dev/xvda', '10Gi'), volume('/dev/xvdb', '40Gi')],
      '40Gi',
    ],
    ['the default where that is not named', 'Bottlerocket', [volume('/dev/xvda', '10Gi')], '20Gi'],
    ['the default where it has no size', 'AL2023', [volume('/dev/xvda')], '20Gi'],
    ['the last one of users’ images', 'Custom', [volume('/dev/sda', '10Gi'), volume('/dev/sdb', '50G')], '50G'],
    ['the default of users’ images', 'Custom', [volume('/dev/sda')], '20Gi'],
    ['the default of Windows', 'Windows2022', [], '50Gi'],
  ] as const)('22: %s', (_name, amiFamily, blockDeviceMappings, size) => {
    expect(parseQuantityMilli(storage({ amiFamily, blockDeviceMappings }))).toBe(parseQuantityMilli(size));
  });

  test('22: local disks count once they are striped, in decimal gigabytes', () => {
    expect(parseQuantityMilli(storage({ instanceStorePolicy: 'RAID0' }, 'm5d.2xlarge'))).toBe(300e12);
    expect(storage({}, 'm5d.2xlarge')).toBe('20Gi');
    expect(storage({ instanceStorePolicy: 'RAID0' }, 'm5.large')).toBe('20Gi');
  });
});

describe('what is reserved', () => {
  test('22: own amounts win by resource', () => {
    const kubelet = { kubeReserved: { cpu: '1', pid: '1000' }, systemReserved: { memory: '2Gi', cpu: 'vcpus * 2' } };
    expect(reservedFor('m5.large', { kubelet })).toEqual({
      cpu: '1',
      pid: '1k',
      memory: '574Mi',
      'ephemeral-storage': '1Gi',
    });
    expect(toResourceList(resolve('m5.large', { kubelet }).overhead.systemReserved ?? {})).toEqual({ memory: '2Gi' });
  });

  test.each([
    ['nothing', {}, '100Mi', '2Gi'],
    ['amounts', { 'memory.available': '500Mi', 'nodefs.available': '5Gi' }, '500Mi', '5Gi'],
    ['shares', { 'memory.available': '5%', 'nodefs.available': '50%' }, '397253018', '10Gi'],
    ['all of it, which turns it off', { 'memory.available': '100%', 'nodefs.available': '100%' }, '0', '0'],
    ['other signals', { 'imagefs.available': '50%' }, '100Mi', '2Gi'],
    ['nonsense', { 'memory.available': 'much%', 'nodefs.available': 'some' }, '100Mi', '2Gi'],
  ])('22: by hard eviction: %s', (_name, evictionHard, memory, storage) => {
    expect(eviction('m5.large', { kubelet: { evictionHard, evictionSoft: { 'memory.available': '3Gi' } } })).toEqual({
      memory,
      'ephemeral-storage': storage,
    });
  });
});

describe('labels', () => {
  test('21: of an ordinary type', () => {
    expect(labels('m5.large')).toEqual({
      'node.kubernetes.io/instance-type': 'm5.large',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/region': 'us-west-2',
      'topology.kubernetes.io/zone': 'us-west-2a',
      'topology.k8s.aws/zone-id': 'usw2-az1',
      'karpenter.sh/capacity-type': 'on-demand,spot',
      'karpenter.k8s.aws/instance-category': 'm',
      'karpenter.k8s.aws/instance-generation': '5',
      'karpenter.k8s.aws/instance-family': 'm5',
      'karpenter.k8s.aws/instance-size': 'large',
      'karpenter.k8s.aws/instance-capability-flex': 'false',
      'karpenter.k8s.aws/instance-cpu': '2',
      'karpenter.k8s.aws/instance-cpu-manufacturer': 'intel',
      'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz': '3100',
      'karpenter.k8s.aws/instance-memory': '8192',
      'karpenter.k8s.aws/instance-ebs-bandwidth': '4750',
      'karpenter.k8s.aws/instance-network-bandwidth': '750',
      'karpenter.k8s.aws/instance-hypervisor': 'nitro',
      'karpenter.k8s.aws/instance-encryption-in-transit-supported': 'false',
      'karpenter.k8s.aws/instance-tenancy': 'default,dedicated',
    });
  });

  test.each([
    [
      'g4dn.8xlarge',
      {
        'karpenter.k8s.aws/instance-gpu-name': 't4',
        'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia',
        'karpenter.k8s.aws/instance-gpu-count': '1',
        'karpenter.k8s.aws/instance-gpu-memory': '16384',
        'karpenter.k8s.aws/instance-local-nvme': '900',
        'karpenter.k8s.aws/nitro-sandbox': 'true',
      },
    ],
    [
      'inf2.24xlarge',
      {
        'karpenter.k8s.aws/instance-accelerator-name': 'inferentia2',
        'karpenter.k8s.aws/instance-accelerator-manufacturer': 'aws',
        'karpenter.k8s.aws/instance-accelerator-count': '6',
      },
    ],
    [
      'm6g.metal',
      {
        'kubernetes.io/arch': 'arm64',
        'karpenter.k8s.aws/instance-cpu-manufacturer': 'aws',
        'karpenter.k8s.aws/instance-hypervisor': '',
      },
    ],
    ['m7i-flex.large', { 'karpenter.k8s.aws/instance-capability-flex': 'true' }],
    ['u-6tb1.56xlarge', { 'karpenter.k8s.aws/instance-category': 'u', 'karpenter.k8s.aws/instance-generation': '1' }],
  ])('21: of %s', (name, expected) => expect(labels(name)).toMatchObject(expected));

  test('21: a type that has no such thing must not have the label', () => {
    for (const label of ['instance-gpu-name', 'instance-local-nvme', 'nitro-sandbox', 'capacity-reservation-id']) {
      expect(resolve('m5.large').requirements.find(`karpenter.k8s.aws/${label}`)?.operator).toBe('DoesNotExist');
    }
  });

  test('21: Windows runs on amd64 only, and shares the addresses of one interface', () => {
    const spec = { amiFamily: 'Windows2022' } as const;
    expect(labels('m5.large', spec)).toMatchObject({
      'kubernetes.io/os': 'windows',
      'node.kubernetes.io/windows-build': '10.0.20348',
    });
    expect(capacity('m5.large', spec)['vpc.amazonaws.com/PrivateIPv4Address']).toBe('9');
    expect(labels('m6g.large', spec)).not.toHaveProperty('kubernetes.io/os');
    expect(capacity('m6g.large', spec)).not.toHaveProperty('vpc.amazonaws.com/PrivateIPv4Address');
  });

  test('21: reservations of the type make it reservable', () => {
    const reservation: CapacityReservationStatus = {
      id: 'cr-1',
      instanceType: 'm5.large',
      availabilityZone: 'us-west-2a',
      instanceMatchCriteria: 'targeted',
      ownerID: '012345678901',
      reservationType: 'capacity-block',
      interruptible: false,
      state: 'active',
    };
    expect(labels('m5.large', {}, {}, [reservation])).toMatchObject({
      'karpenter.sh/capacity-type': 'on-demand,spot,reserved',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
      'karpenter.k8s.aws/capacity-reservation-type': 'capacity-block',
      'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
    });
    expect(labels('m5.xlarge', {}, {}, [reservation])['karpenter.sh/capacity-type']).toBe('on-demand,spot');
  });
});

test('22: every type of EC2 can be resolved, and leaves something to pods', () => {
  for (const info of EC2_TYPES.values()) {
    const { cpu = 0, memory = 0, pods = 0 } = allocatable(resolve(info));
    expect(Math.min(cpu, memory, pods), info.InstanceType).toBeGreaterThan(0);
  }
});
