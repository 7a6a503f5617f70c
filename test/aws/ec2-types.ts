import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

const file = new URL('./ec2-types.generated.json.gz', import.meta.url);
const { types }: { types: readonly InstanceTypeInfo[] } = JSON.parse(gunzipSync(readFileSync(file)).toString());

/** All types that EC2 has, as it describes them (hack/generate-ec2-fixture.ts), by name. */
export const EC2_TYPES: ReadonlyMap<string, InstanceTypeInfo> = new Map(
  types.map((info) => [info.InstanceType ?? '', info]),
);

/** @throws an error when there is no such type. */
export function ec2Type(name: string): InstanceTypeInfo {
  const info = EC2_TYPES.get(name);
  if (!info) throw new Error(`EC2 has no type ${name}`);
  return info;
}
