import type { Filter } from '@aws-sdk/client-ec2';
import type {
  AMISelectorTerm,
  CapacityReservationSelectorTerm,
  EC2NodeClassSpec,
  SecurityGroupSelectorTerm,
  SubnetSelectorTerm,
} from '../apis/ec2-node-class.ts';
import { tagFilters } from '../aws-api/tags.ts';

type Term = SubnetSelectorTerm & SecurityGroupSelectorTerm & CapacityReservationSelectorTerm & AMISelectorTerm;

/** A term in words: `tags karpenter.sh/discovery=shop`, `alias al2023@latest`. */
export function termWords({ tags, ...fields }: Term): string {
  const pairs = Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    ...Object.entries(fields).map(([field, value]) => `${field} ${value}`),
    ...(pairs.length > 0 ? [`tags ${pairs.join(',')}`] : []),
  ].join(', ');
}

/** Asks AWS what the first of the terms finds, as a person would. */
export const LOOK = {
  subnets: ({ subnetSelectorTerms: [first] }: EC2NodeClassSpec): string =>
    look('describe-subnets', first?.id ? { '--subnet-ids': first.id } : {}, tagFilters(first?.tags ?? {})),
  securityGroups: ({ securityGroupSelectorTerms: [first] }: EC2NodeClassSpec): string =>
    look('describe-security-groups', first?.id ? { '--group-ids': first.id } : {}, [
      ...(first?.name ? [{ Name: 'group-name', Values: [first.name] }] : []),
      ...tagFilters(first?.tags ?? {}),
    ]),
  amis: ({ amiSelectorTerms: [first] }: EC2NodeClassSpec): string =>
    first?.ssmParameter
      ? `aws ssm get-parameter --name ${first.ssmParameter}`
      : look(
          'describe-images',
          {
            ...(first?.id ? { '--image-ids': first.id } : {}),
            ...(first?.owner ? { '--owners': first.owner } : first?.name ? { '--owners': 'self amazon' } : {}),
          },
          [...(first?.name ? [{ Name: 'name', Values: [first.name] }] : []), ...tagFilters(first?.tags ?? {})],
        ),
  placementGroup: ({ placementGroupSelector: { id, name } = {} }: EC2NodeClassSpec): string =>
    look('describe-placement-groups', id ? { '--group-ids': id } : { '--group-names': name ?? '' }, []),
  instanceProfile: ({ role, instanceProfile }: EC2NodeClassSpec): string =>
    role
      ? `aws iam get-role --role-name ${role.split('/').at(-1)}`
      : `aws iam get-instance-profile --instance-profile-name ${instanceProfile}`,
};

function look(command: string, options: Readonly<Record<string, string>>, filters: readonly Filter[]): string {
  const words = filters.map(({ Name, Values = [] }) => `'Name=${Name},Values=${Values.join(',')}'`);
  return [
    `aws ec2 ${command}`,
    ...Object.entries(options).map(([name, value]) => `${name} ${value}`),
    ...(words.length > 0 ? [`--filters ${words.join(' ')}`] : []),
  ].join(' ');
}
