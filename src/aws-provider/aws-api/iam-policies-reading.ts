import type { PolicyScope, PolicyStatement } from './iam-policies.ts';

type Statements = readonly PolicyStatement[];

/** The cluster, the queue of interruptions and shifts of traffic away from zones. */
export function integrationStatements(
  scope: PolicyScope,
): Readonly<Record<'eks' | 'interruption' | 'zonalShift', Statements>> {
  const cluster = `arn:${scope.partition}:eks:${scope.region}:${scope.accountID}:cluster/${scope.clusterName}`;
  return {
    eks: [{ sid: 'AllowAPIServerEndpointDiscovery', actions: ['eks:DescribeCluster'], resources: [cluster] }],
    interruption: [
      {
        sid: 'AllowInterruptionQueueActions',
        actions: ['sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:ReceiveMessage'],
        resources: [scope.queueARN],
      },
    ],
    zonalShift: [
      {
        sid: 'AllowZonalShiftStatusReadOnly',
        actions: ['arc-zonal-shift:GetManagedResource'],
        resources: ['*'],
        conditions: { StringEquals: { 'arc-zonal-shift:ResourceIdentifier': cluster } },
      },
    ],
  };
}

/** What there is to choose from: images, types, prices, subnets and so on. */
export function discoveryStatements({ partition, region, accountID }: PolicyScope): Statements {
  return [
    {
      sid: 'AllowRegionalReadActions',
      actions: [
        'ec2:DescribeCapacityReservations',
        'ec2:DescribeImages',
        'ec2:DescribeInstances',
        'ec2:DescribeInstanceStatus',
        'ec2:DescribeInstanceTypeOfferings',
        'ec2:DescribeInstanceTypes',
        'ec2:DescribeLaunchTemplates',
        'ec2:DescribePlacementGroups',
        'ec2:DescribeSecurityGroups',
        'ec2:DescribeSpotPriceHistory',
        'ec2:DescribeSubnets',
      ],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:RequestedRegion': region } },
    },
    {
      sid: 'AllowSSMReadActions',
      actions: ['ssm:GetParameter'],
      resources: [`arn:${partition}:ssm:${region}::parameter/aws/service/*`],
    },
    { sid: 'AllowPricingReadActions', actions: ['pricing:GetProducts'], resources: ['*'] },
    { sid: 'AllowUnscopedInstanceProfileListAction', actions: ['iam:ListInstanceProfiles'], resources: ['*'] },
    {
      sid: 'AllowInstanceProfileReadActions',
      actions: ['iam:GetInstanceProfile'],
      resources: [`arn:${partition}:iam::${accountID}:instance-profile/*`],
    },
  ];
}
