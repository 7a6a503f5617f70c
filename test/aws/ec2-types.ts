import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { ec2Types } from '../../src/aws-provider/data/ec2-types.ts';

/** All types that EC2 has, as it describes them, by name. */
export const EC2_TYPES: ReadonlyMap<string, InstanceTypeInfo> = ec2Types();

/** @throws an error when there is no such type. */
export function ec2Type(name: string): InstanceTypeInfo {
  const info = EC2_TYPES.get(name);
  if (!info) throw new Error(`EC2 has no type ${name}`);
  return info;
}
