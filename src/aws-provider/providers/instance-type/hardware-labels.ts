import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import {
  LABEL_INSTANCE_ACCELERATOR_COUNT,
  LABEL_INSTANCE_ACCELERATOR_MANUFACTURER,
  LABEL_INSTANCE_ACCELERATOR_NAME,
  LABEL_INSTANCE_CAPABILITY_FLEX,
  LABEL_INSTANCE_CATEGORY,
  LABEL_INSTANCE_CPU,
  LABEL_INSTANCE_CPU_CLOCK_SPEED,
  LABEL_INSTANCE_CPU_MANUFACTURER,
  LABEL_INSTANCE_EBS_BANDWIDTH,
  LABEL_INSTANCE_ENCRYPTION_IN_TRANSIT,
  LABEL_INSTANCE_FAMILY,
  LABEL_INSTANCE_GENERATION,
  LABEL_INSTANCE_GPU_COUNT,
  LABEL_INSTANCE_GPU_MANUFACTURER,
  LABEL_INSTANCE_GPU_MEMORY,
  LABEL_INSTANCE_GPU_NAME,
  LABEL_INSTANCE_HYPERVISOR,
  LABEL_INSTANCE_LOCAL_NVME,
  LABEL_INSTANCE_MEMORY,
  LABEL_INSTANCE_NETWORK_BANDWIDTH,
  LABEL_INSTANCE_SIZE,
  LABEL_NITRO_SANDBOX,
} from '../../apis/labels.ts';
import { networkBandwidthMbps } from '../../data/ec2-data.ts';

type Label = readonly [name: string, value: string | undefined];

/** `u-12tb1.metal`: category `u`, generation `1`. */
const NAME = /^([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\./;

/** What the machine is, as labels; undefined where it has no such thing (aws-provider.md section 21). */
export function hardwareLabels(info: InstanceTypeInfo): readonly Label[] {
  return [
    ...nameLabels(info.InstanceType ?? ''),
    ...processorLabels(info),
    ...bandwidthLabels(info),
    ...gpuLabels(info),
    ...acceleratorLabels(info),
    [LABEL_INSTANCE_MEMORY, String(info.MemoryInfo?.SizeInMiB ?? 0)],
    [LABEL_INSTANCE_LOCAL_NVME, localNvme(info)],
    // Without one, on bare metal, it is empty.
    [LABEL_INSTANCE_HYPERVISOR, info.Hypervisor ?? ''],
    [LABEL_INSTANCE_ENCRYPTION_IN_TRANSIT, String(info.NetworkInfo?.EncryptionInTransitSupported ?? false)],
    [LABEL_NITRO_SANDBOX, info.NitroEnclavesSupport === 'supported' ? 'true' : undefined],
  ];
}

function nameLabels(name: string): readonly Label[] {
  const [, category, generation] = NAME.exec(name) ?? [];
  const parts = name.split('.');
  const [family, size] = parts.length === 2 ? parts : [];
  return [
    [LABEL_INSTANCE_CATEGORY, category],
    [LABEL_INSTANCE_GENERATION, generation],
    [LABEL_INSTANCE_FAMILY, family],
    [LABEL_INSTANCE_SIZE, size],
    [LABEL_INSTANCE_CAPABILITY_FLEX, String(parts[0]?.includes('-flex') ?? false)],
  ];
}

function processorLabels({ VCpuInfo, ProcessorInfo }: InstanceTypeInfo): readonly Label[] {
  const megahertz = Math.round((ProcessorInfo?.SustainedClockSpeedInGhz ?? 0) * 1000);
  return [
    [LABEL_INSTANCE_CPU, String(VCpuInfo?.DefaultVCpus ?? 0)],
    [LABEL_INSTANCE_CPU_MANUFACTURER, ProcessorInfo && labelValue(ProcessorInfo.Manufacturer)],
    [LABEL_INSTANCE_CPU_CLOCK_SPEED, ProcessorInfo && String(megahertz)],
  ];
}

function bandwidthLabels({ InstanceType, EbsInfo }: InstanceTypeInfo): readonly Label[] {
  const { EbsOptimizedInfo, EbsOptimizedSupport } = EbsInfo ?? {};
  const toVolumes = EbsOptimizedSupport === 'default' ? EbsOptimizedInfo : undefined;
  return [
    [LABEL_INSTANCE_EBS_BANDWIDTH, toVolumes && String(toVolumes.MaximumBandwidthInMbps ?? 0)],
    [LABEL_INSTANCE_NETWORK_BANDWIDTH, networkBandwidthMbps(InstanceType ?? '')?.toString()],
  ];
}

/** Of types that have one kind of GPU. */
function gpuLabels({ GpuInfo }: InstanceTypeInfo): readonly Label[] {
  const gpu = only(GpuInfo?.Gpus);
  return [
    [LABEL_INSTANCE_GPU_NAME, gpu && labelValue(gpu.Name)],
    [LABEL_INSTANCE_GPU_MANUFACTURER, gpu && labelValue(gpu.Manufacturer)],
    [LABEL_INSTANCE_GPU_COUNT, gpu && String(gpu.Count ?? 0)],
    [LABEL_INSTANCE_GPU_MEMORY, gpu && String(gpu.MemoryInfo?.SizeInMiB ?? 0)],
  ];
}

/** Of types that have one kind of accelerator. What AWS lists as both Neuron device and accelerator is the former. */
function acceleratorLabels({ NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo): readonly Label[] {
  const neuron = only(NeuronInfo?.NeuronDevices);
  const other = NeuronInfo ? undefined : only(InferenceAcceleratorInfo?.Accelerators);
  const device = neuron ? { ...neuron, Manufacturer: 'aws' } : other;
  return [
    [LABEL_INSTANCE_ACCELERATOR_NAME, device && labelValue(device.Name)],
    [LABEL_INSTANCE_ACCELERATOR_MANUFACTURER, device && labelValue(device.Manufacturer)],
    [LABEL_INSTANCE_ACCELERATOR_COUNT, device && String(device.Count ?? 0)],
  ];
}

function localNvme({ InstanceStorageInfo }: InstanceTypeInfo): string | undefined {
  return InstanceStorageInfo?.NvmeSupport === 'unsupported'
    ? undefined
    : InstanceStorageInfo?.TotalSizeInGB?.toString();
}

function only<T>(items: readonly T[] | undefined): T | undefined {
  return items?.length === 1 ? items[0] : undefined;
}

/** `Amazon Web Services` → `amazon-web-services`. */
function labelValue(name = ''): string {
  return name.replaceAll(' ', '-').toLowerCase();
}
