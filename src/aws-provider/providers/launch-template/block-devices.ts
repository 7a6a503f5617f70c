import type { LaunchTemplateBlockDeviceMappingRequest, VolumeType } from '@aws-sdk/client-ec2';
import { parseQuantityMilli } from '../../../kube/quantity.ts';
import type { BlockDeviceMapping } from '../../apis/ec2-node-class.ts';

const MILLI_GIB = 2 ** 30 * 1000;

/** Volumes in EC2's words; undefined when there are none, since EC2 refuses an empty list. */
export function blockDevices(
  mappings: readonly BlockDeviceMapping[],
): LaunchTemplateBlockDeviceMappingRequest[] | undefined {
  if (mappings.length === 0) return undefined;
  return mappings.map(({ deviceName, ebs = {} }) => ({
    DeviceName: deviceName,
    Ebs: {
      DeleteOnTermination: ebs.deleteOnTermination,
      Encrypted: ebs.encrypted,
      VolumeType: ebs.volumeType as VolumeType | undefined,
      Iops: ebs.iops || undefined,
      Throughput: ebs.throughput || undefined,
      KmsKeyId: ebs.kmsKeyID,
      SnapshotId: ebs.snapshotID,
      VolumeInitializationRate: ebs.volumeInitializationRate,
      VolumeSize: ebs.volumeSize === undefined ? undefined : wholeGiB(ebs.volumeSize),
    },
  }));
}

/** EC2 counts whole GiB: what is between two of them is rounded up. */
const wholeGiB = (size: string): number => Math.ceil(parseQuantityMilli(size) / MILLI_GIB);
