import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { pages } from '../../aws-api/pages.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';

/** EC2's own limits of a page. */
const TYPES_PER_PAGE = 100;
const OFFERINGS_PER_PAGE = 1000;

/** All types that Karpenter can launch, by name and in the order of their names (aws-provider.md section 21). */
export async function describeTypes(
  ec2: Pick<Ec2Api, 'describeInstanceTypes'>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, InstanceTypeInfo>> {
  const call: Ec2Api['describeInstanceTypes'] = (input) => ec2.describeInstanceTypes(input, { signal });
  const input = {
    Filters: [
      { Name: 'supported-virtualization-type', Values: ['hvm'] },
      { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
    ],
    MaxResults: TYPES_PER_PAGE,
  };
  const infos: [string, InstanceTypeInfo][] = [];
  try {
    for await (const { InstanceTypes = [] } of pages(call, input)) {
      for (const info of InstanceTypes) if (info.InstanceType) infos.push([info.InstanceType, info]);
    }
  } catch (error) {
    throw wrappedError('describing instance types', error);
  }
  return new Map(infos.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The zones that sell a type, by its name. */
export async function describeZonesOfTypes(
  ec2: Pick<Ec2Api, 'describeInstanceTypeOfferings'>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const call: Ec2Api['describeInstanceTypeOfferings'] = (input) => ec2.describeInstanceTypeOfferings(input, { signal });
  const zones = new Map<string, Set<string>>();
  try {
    const input = { LocationType: 'availability-zone' as const, MaxResults: OFFERINGS_PER_PAGE };
    for await (const { InstanceTypeOfferings = [] } of pages(call, input)) {
      for (const { InstanceType = '', Location = '' } of InstanceTypeOfferings) {
        zones.set(InstanceType, (zones.get(InstanceType) ?? new Set()).add(Location));
      }
    }
  } catch (error) {
    throw wrappedError('describing instance type zone offerings', error);
  }
  return zones;
}
