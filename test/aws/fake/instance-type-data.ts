import type { GpuInfo, InstanceTypeInfo, UsageClassType } from '@aws-sdk/client-ec2';

interface Shape {
  readonly vcpus: number;
  readonly memoryMiB: number;
  /** Addresses per interface, and interfaces. */
  readonly network: readonly [addresses: number, interfaces: number];
  /** USD per hour, on demand. */
  readonly price: number;
  readonly arch?: 'x86_64' | 'arm64';
  readonly manufacturer?: string;
  readonly usage?: readonly UsageClassType[];
  readonly hypervisor?: 'nitro' | 'xen' | '';
  readonly nvmeGB?: number;
  readonly gpu?: GpuInfo['Gpus'];
  readonly neurons?: number;
  readonly inferentia?: number;
  readonly efas?: number;
  readonly features?: readonly 'nested-virtualization'[];
}

/** A few of EC2's types, with what EC2 says of them (prices of us-west-2). */
const SHAPES: Readonly<Record<string, Shape>> = {
  't3.micro': { vcpus: 2, memoryMiB: 1024, network: [2, 2], price: 0.0104 },
  't3.large': { vcpus: 2, memoryMiB: 8192, network: [12, 3], price: 0.0832 },
  'c5.large': { vcpus: 2, memoryMiB: 4096, network: [10, 3], price: 0.085 },
  'c5.xlarge': { vcpus: 4, memoryMiB: 8192, network: [15, 4], price: 0.17 },
  'c5.2xlarge': { vcpus: 8, memoryMiB: 16_384, network: [15, 4], price: 0.34 },
  'm5.large': { vcpus: 2, memoryMiB: 8192, network: [10, 3], price: 0.096 },
  'm5.xlarge': { vcpus: 4, memoryMiB: 16_384, network: [15, 4], price: 0.192 },
  'm5.2xlarge': { vcpus: 8, memoryMiB: 32_768, network: [15, 4], price: 0.384 },
  'm5.4xlarge': { vcpus: 16, memoryMiB: 65_536, network: [30, 8], price: 0.768 },
  'm5.24xlarge': { vcpus: 96, memoryMiB: 393_216, network: [50, 15], price: 4.608 },
  'm5.metal': {
    vcpus: 96,
    memoryMiB: 393_216,
    network: [50, 15],
    price: 4.608,
    hypervisor: '',
    usage: ['on-demand', 'spot'],
  },
  'm6id.large': { vcpus: 2, memoryMiB: 8192, network: [10, 3], price: 0.118_65, nvmeGB: 118 },
  'm8i.large': {
    vcpus: 2,
    memoryMiB: 8192,
    network: [10, 3],
    price: 0.105_84,
    features: ['nested-virtualization'],
  },
  'r5.large': { vcpus: 2, memoryMiB: 16_384, network: [10, 3], price: 0.126 },
  'r5.xlarge': { vcpus: 4, memoryMiB: 32_768, network: [15, 4], price: 0.252 },
  'm6g.large': { vcpus: 2, memoryMiB: 8192, network: [10, 3], price: 0.077, arch: 'arm64', manufacturer: 'AWS' },
  'c6g.large': { vcpus: 2, memoryMiB: 4096, network: [10, 3], price: 0.068, arch: 'arm64', manufacturer: 'AWS' },
  'a1.large': {
    vcpus: 2,
    memoryMiB: 4096,
    network: [10, 3],
    price: 0.051,
    arch: 'arm64',
    manufacturer: 'AWS',
  },
  'm4.large': { vcpus: 2, memoryMiB: 8192, network: [10, 2], price: 0.1, hypervisor: 'xen' },
  'p3.2xlarge': {
    vcpus: 8,
    memoryMiB: 62_464,
    network: [15, 4],
    price: 3.06,
    hypervisor: 'xen',
    gpu: [{ Name: 'V100', Manufacturer: 'NVIDIA', Count: 1, MemoryInfo: { SizeInMiB: 16_384 } }],
  },
  'g4dn.8xlarge': {
    vcpus: 32,
    memoryMiB: 131_072,
    network: [15, 4],
    price: 2.176,
    nvmeGB: 900,
    efas: 1,
    gpu: [{ Name: 'T4', Manufacturer: 'NVIDIA', Count: 1, MemoryInfo: { SizeInMiB: 16_384 } }],
  },
  'p5.48xlarge': {
    vcpus: 192,
    memoryMiB: 2_097_152,
    network: [50, 4],
    price: 55.04,
    nvmeGB: 30_400,
    efas: 32,
    usage: ['on-demand', 'spot', 'capacity-block'],
    gpu: [{ Name: 'H100', Manufacturer: 'NVIDIA', Count: 8, MemoryInfo: { SizeInMiB: 81_920 } }],
  },
  'inf1.xlarge': { vcpus: 4, memoryMiB: 8192, network: [10, 4], price: 0.228, inferentia: 1 },
  'trn1.2xlarge': { vcpus: 8, memoryMiB: 32_768, network: [15, 4], price: 1.3438, neurons: 1, nvmeGB: 474 },
};

/** USD per hour, by type. */
export const ON_DEMAND_PRICES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(SHAPES).map(([name, { price }]) => [name, price]),
);

/** The types as DescribeInstanceTypes answers them. */
export const INSTANCE_TYPES: readonly InstanceTypeInfo[] = Object.entries(SHAPES).map(([name, shape]) =>
  typeInfo(name, shape),
);

function typeInfo(name: string, shape: Shape): InstanceTypeInfo {
  const { arch = 'x86_64', hypervisor = 'nitro', nvmeGB, gpu, neurons, inferentia, efas = 0 } = shape;
  const isMetal = name.endsWith('metal');
  return {
    InstanceType: name as NonNullable<InstanceTypeInfo['InstanceType']>,
    CurrentGeneration: true,
    SupportedUsageClasses: [...(shape.usage ?? ['on-demand', 'spot'])],
    SupportedVirtualizationTypes: ['hvm'],
    BareMetal: isMetal,
    ...(hypervisor && { Hypervisor: hypervisor }),
    ProcessorInfo: {
      SupportedArchitectures: [arch],
      SustainedClockSpeedInGhz: 3.1,
      Manufacturer: shape.manufacturer ?? 'Intel',
      ...(shape.features && { SupportedFeatures: [...shape.features] }),
    },
    VCpuInfo: { DefaultVCpus: shape.vcpus },
    MemoryInfo: { SizeInMiB: shape.memoryMiB },
    InstanceStorageSupported: nvmeGB !== undefined,
    ...(nvmeGB !== undefined && { InstanceStorageInfo: { TotalSizeInGB: nvmeGB, NvmeSupport: 'required' } }),
    EbsInfo: {
      EbsOptimizedSupport: 'default',
      EbsOptimizedInfo: { BaselineBandwidthInMbps: 650, MaximumBandwidthInMbps: 4750 },
      NvmeSupport: 'required',
    },
    NetworkInfo: {
      MaximumNetworkInterfaces: shape.network[1],
      MaximumNetworkCards: 1,
      DefaultNetworkCardIndex: 0,
      NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: shape.network[1] }],
      Ipv4AddressesPerInterface: shape.network[0],
      Ipv6AddressesPerInterface: shape.network[0],
      EnaSupport: hypervisor === 'xen' ? 'supported' : 'required',
      EfaSupported: efas > 0,
      ...(efas > 0 && { EfaInfo: { MaximumEfaInterfaces: efas } }),
      EncryptionInTransitSupported: hypervisor !== 'xen',
    },
    ...(gpu && { GpuInfo: { Gpus: gpu } }),
    ...(neurons && {
      NeuronInfo: { NeuronDevices: [{ Count: neurons, Name: 'Trainium', CoreInfo: { Count: 2, Version: 2 } }] },
    }),
    ...(inferentia && {
      InferenceAcceleratorInfo: { Accelerators: [{ Count: inferentia, Name: 'Inferentia', Manufacturer: 'AWS' }] },
    }),
    PlacementGroupInfo: { SupportedStrategies: ['cluster', 'partition', 'spread'] },
    NitroEnclavesSupport: hypervisor === 'nitro' ? 'supported' : 'unsupported',
  };
}
