import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Resources } from '../../../scheduling/resources.ts';
import type { NetworkInterface } from '../../apis/ec2-node-class.ts';
import {
  RESOURCE_AMD_GPU,
  RESOURCE_EFA,
  RESOURCE_GAUDI,
  RESOURCE_NEURON,
  RESOURCE_NEURON_CORE,
  RESOURCE_NVIDIA_GPU,
  RESOURCE_POD_ENI,
  RESOURCE_PRIVATE_IPV4_ADDRESS,
} from '../../apis/labels.ts';
import { networkLimitsOf } from '../../data/ec2-data.ts';

const MIB = 2 ** 20;
/** Memory that a Graviton's operating system does not see. */
const ARM_MEMORY_MIB = 64;

/**
 * Bytes that an operating system on the type is expected to see, before a node of the type has told.
 *
 * @param overheadPercent the share that the virtual machine keeps to itself: 0.075 is 7.5 %.
 */
export function expectedMemory({ MemoryInfo, ProcessorInfo }: InstanceTypeInfo, overheadPercent: number): number {
  const isArm = ProcessorInfo?.SupportedArchitectures?.[0] === 'arm64';
  const size = (MemoryInfo?.SizeInMiB ?? 0) - (isArm ? ARM_MEMORY_MIB : 0);
  const overhead = Math.ceil((size * MIB * overheadPercent) / 1024 / 1024);
  return (size - overhead) * MIB;
}

/** Processors, devices and interfaces of the type; what it lacks is there as zero (aws-provider.md section 22). */
export function deviceCapacity(
  info: InstanceTypeInfo,
  networkInterfaces: readonly NetworkInterface[] | undefined,
): Resources {
  const { InstanceType, VCpuInfo, NeuronInfo } = info;
  const neurons = NeuronInfo?.NeuronDevices ?? [];
  const counts = {
    cpu: VCpuInfo?.DefaultVCpus ?? 0,
    [RESOURCE_POD_ENI]: networkLimitsOf(InstanceType ?? '')?.branchInterfaces ?? 0,
    [RESOURCE_NVIDIA_GPU]: gpus(info, 'NVIDIA'),
    [RESOURCE_AMD_GPU]: gpus(info, 'AMD'),
    [RESOURCE_GAUDI]: gpus(info, 'Habana'),
    [RESOURCE_NEURON]: sum(neurons.map(({ Count = 0 }) => Count)),
    [RESOURCE_NEURON_CORE]: (neurons[0]?.Count ?? 0) * (neurons[0]?.CoreInfo?.Count ?? 0),
    [RESOURCE_EFA]: efas(info, networkInterfaces),
  };
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * 1000]));
}

/** The addresses that Windows pods share, of one interface. */
export function windowsCapacity({ InstanceType }: InstanceTypeInfo): Resources {
  const limits = networkLimitsOf(InstanceType ?? '');
  return { [RESOURCE_PRIVATE_IPV4_ADDRESS]: limits ? (limits.ipv4PerInterface - 1) * 1000 : 0 };
}

function gpus({ GpuInfo }: InstanceTypeInfo, manufacturer: string): number {
  const own = GpuInfo?.Gpus?.filter(({ Manufacturer }) => Manufacturer === manufacturer) ?? [];
  return sum(own.map(({ Count = 0 }) => Count));
}

/** Those that the class asks for; as many as the type takes if it names no interfaces. */
function efas({ NetworkInfo }: InstanceTypeInfo, networkInterfaces: readonly NetworkInterface[] | undefined): number {
  if (!networkInterfaces) return NetworkInfo?.EfaInfo?.MaximumEfaInterfaces ?? 0;
  return networkInterfaces.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
