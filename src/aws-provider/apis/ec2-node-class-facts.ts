import type { AMIFamilyName, EC2NodeClass, SubnetStatus } from './ec2-node-class.ts';

/** An AMI alias, split at its `@`. */
export interface Alias {
  readonly family: AMIFamilyName;
  /** `latest`, or a version of the family. */
  readonly version: string;
}

const ALIAS_FAMILIES: readonly AMIFamilyName[] = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
];

/** The class's AMI alias; the schema allows one term of that kind at most, in a known family. */
export function aliasOf({ spec }: EC2NodeClass): Alias | undefined {
  const alias = spec.amiSelectorTerms.find((term) => term.alias)?.alias;
  if (alias === undefined) return undefined;
  const [name, version = ''] = alias.split('@');
  const family = ALIAS_FAMILIES.find((candidate) => candidate.toLowerCase() === name);
  return family === undefined ? undefined : { family, version };
}

/** The AMI family that holds for the class: its own, or that of its alias. */
export function amiFamilyOf(nodeClass: EC2NodeClass): AMIFamilyName {
  return nodeClass.spec.amiFamily ?? aliasOf(nodeClass)?.family ?? 'Custom';
}

/** One zone that the class has subnets in. */
export interface ZoneInfo {
  readonly zone: string;
  readonly zoneID: string;
  readonly subnetIDs: readonly string[];
}

/** The zones of the class's resolved subnets, by zone id, in the order of the status. */
export function zoneInfoOf({ status }: EC2NodeClass): readonly ZoneInfo[] {
  const groups = new Map<string, [SubnetStatus, ...SubnetStatus[]]>();
  for (const subnet of status?.subnets ?? []) {
    const group = groups.get(subnet.zoneID ?? '');
    if (group) group.push(subnet);
    else groups.set(subnet.zoneID ?? '', [subnet]);
  }
  return [...groups].map(([zoneID, subnets]) => ({
    zone: subnets[0].zone,
    zoneID,
    subnetIDs: subnets.map(({ id }) => id),
  }));
}
