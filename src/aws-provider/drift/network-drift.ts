import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Instance } from '../providers/contracts.ts';

/** @throws when the class has resolved no security groups. */
export function areSecurityGroupsDrifted({ securityGroupIDs }: Instance, { status }: EC2NodeClass): boolean {
  const wanted = new Set((status?.securityGroups ?? []).map(({ id }) => id));
  if (wanted.size === 0) throw new Error('no security groups are present in the status');
  const actual = new Set(securityGroupIDs);
  return wanted.size !== actual.size || !wanted.isSubsetOf(actual);
}

/** @throws when the class has resolved no subnets. */
export function isSubnetDrifted({ subnetID }: Instance, { status }: EC2NodeClass): boolean {
  const subnets = status?.subnets ?? [];
  if (subnets.length === 0) throw new Error('no subnets are discovered');
  return !subnets.some(({ id }) => id === subnetID);
}
