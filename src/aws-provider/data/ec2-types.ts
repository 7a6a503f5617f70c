import { gunzipSync } from 'node:zlib';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import file from './instance-types.generated.json' with { type: 'json' };

let known: ReadonlyMap<string, InstanceTypeInfo> | undefined;

/**
 * All types that EC2 has, by name: what DescribeInstanceTypes answers, as far as this provider reads it, on the day of the
 * package that hack/generate-ec2-types.ts takes it from.
 */
export function ec2Types(): ReadonlyMap<string, InstanceTypeInfo> {
  known ??= new Map(unpack(file.packed).map((info) => [info.InstanceType ?? '', info]));
  return known;
}

const unpack = (packed: string): readonly InstanceTypeInfo[] =>
  JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString());
