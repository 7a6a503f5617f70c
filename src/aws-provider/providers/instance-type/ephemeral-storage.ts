import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { parseQuantityMilli } from '../../../kube/quantity.ts';
import type { BlockDeviceMapping, EC2NodeClassSpec } from '../../apis/ec2-node-class.ts';
import type { AmiFamily } from '../ami-family/family.ts';

const DEFAULT_VOLUME = '20Gi';
const MILLI_OF_GB = 1000 * 10 ** 9;

type Storage = Pick<EC2NodeClassSpec, 'blockDeviceMappings' | 'instanceStorePolicy'>;

/** Thousandths of bytes that pods' ephemeral storage is on (aws-provider.md section 22). */
export function ephemeralStorageMilli(info: InstanceTypeInfo, family: AmiFamily, storage: Storage): number {
  const local = info.InstanceStorageInfo?.TotalSizeInGB;
  if (storage.instanceStorePolicy === 'RAID0' && local !== undefined) return local * MILLI_OF_GB;
  return parseQuantityMilli(volumeSize(family, storage.blockDeviceMappings ?? []));
}

function volumeSize(family: AmiFamily, mappings: readonly BlockDeviceMapping[]): string {
  const root = mappings.find(({ rootVolume }) => rootVolume)?.ebs?.volumeSize;
  if (root !== undefined) return root;
  // Nobody knows what device such an image has its data on.
  if (family.name === 'Custom') return mappings.at(-1)?.ebs?.volumeSize ?? DEFAULT_VOLUME;
  return sizeOf(mappings, family) ?? sizeOf(family.defaultBlockDeviceMappings, family) ?? DEFAULT_VOLUME;
}

function sizeOf(mappings: readonly BlockDeviceMapping[], { ephemeralDevice }: AmiFamily): string | undefined {
  return mappings.find(({ deviceName }) => deviceName === ephemeralDevice)?.ebs?.volumeSize;
}
