import type { CallOptions } from '../aws-api/apis.ts';
import { profilePath } from '../providers/instance-profile/profile-path.ts';
import type { AwsDoctorDeps } from './deps.ts';
import { type Outcome, tryAction, untried } from './outcome.ts';

/** How one action is tried. */
export interface Probe {
  readonly action: string;
  run(signal: AbortSignal): Promise<Outcome>;
}

type Deps = Pick<AwsDoctorDeps, 'apis' | 'region' | 'options'>;

const DRY = { DryRun: true };
const NO_PROFILE = 'kubectl-karpenter-doctor';
const SSM_PARAMETER = '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id';

/** What only reads: EC2's calls by dry run, the others by as small a read as there is. */
export function readProbes({ apis, region, options }: Deps): readonly Probe[] {
  const { ec2, iam, ssm, pricing } = apis;
  const { clusterName, isolatedVPC } = options;
  const probe = (action: string, ask: (asked: CallOptions) => Promise<unknown>): Probe => ({
    action,
    run: (signal) => tryAction(action, () => ask({ signal, once: true })),
  });
  const not = (action: string, why: string): Probe => ({ action, run: async () => untried(action, why) });
  const isolated = 'with --isolated-vpc it is not called';
  return [
    probe('ec2:DescribeCapacityReservations', (asked) => ec2.describeCapacityReservations(DRY, asked)),
    probe('ec2:DescribeImages', (asked) => ec2.describeImages({ ...DRY, Owners: ['self'] }, asked)),
    probe('ec2:DescribeInstances', (asked) => ec2.describeInstances(DRY, asked)),
    probe('ec2:DescribeInstanceStatus', (asked) => ec2.describeInstanceStatus(DRY, asked)),
    probe('ec2:DescribeInstanceTypeOfferings', (asked) => ec2.describeInstanceTypeOfferings(DRY, asked)),
    probe('ec2:DescribeInstanceTypes', (asked) => ec2.describeInstanceTypes(DRY, asked)),
    probe('ec2:DescribeLaunchTemplates', (asked) => ec2.describeLaunchTemplates(DRY, asked)),
    probe('ec2:DescribePlacementGroups', (asked) => ec2.describePlacementGroups(DRY, asked)),
    probe('ec2:DescribeSecurityGroups', (asked) => ec2.describeSecurityGroups(DRY, asked)),
    probe('ec2:DescribeSpotPriceHistory', (asked) => ec2.describeSpotPriceHistory(DRY, asked)),
    probe('ec2:DescribeSubnets', (asked) => ec2.describeSubnets(DRY, asked)),
    probe('ssm:GetParameter', (asked) => ssm.getParameter({ Name: SSM_PARAMETER }, asked)),
    isolatedVPC
      ? not('pricing:GetProducts', isolated)
      : probe('pricing:GetProducts', (asked) =>
          pricing.getProducts({ ServiceCode: 'AmazonEC2', MaxResults: 1 }, asked),
        ),
    isolatedVPC
      ? not('iam:ListInstanceProfiles', isolated)
      : probe('iam:ListInstanceProfiles', (asked) =>
          iam.listInstanceProfiles({ PathPrefix: profilePath(region, clusterName), MaxItems: 1 }, asked),
        ),
    probe('iam:GetInstanceProfile', (asked) => iam.getInstanceProfile({ InstanceProfileName: NO_PROFILE }, asked)),
  ];
}
