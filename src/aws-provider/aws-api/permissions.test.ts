import { describe, expect, it, test } from 'vitest';
import { awsError } from '../../../test/aws/scripted-api.ts';
import { controllerPolicies } from './iam-policies.ts';
import { denialText, deniedCall, grantsOf } from './permissions.ts';

const SCOPE = {
  partition: 'aws',
  region: 'us-west-2',
  accountID: '123456789012',
  clusterName: 'blue',
  nodeRoleARN: 'arn:aws:iam::123456789012:role/KarpenterNodeRole-blue',
  queueARN: 'arn:aws:sqs:us-west-2:123456789012:blue',
};
const statements = controllerPolicies(SCOPE).flatMap((policy) => policy.statements);

/** Every call of aws-provider.md section 33, and PassRole, which EC2 asks for when it is told an instance profile. */
const ACTIONS = [
  ...[
    'DescribeInstanceTypes DescribeInstanceTypeOfferings DescribeSubnets DescribeSecurityGroups DescribeImages',
    'DescribeLaunchTemplates CreateLaunchTemplate DeleteLaunchTemplate CreateFleet RunInstances DescribeInstances',
    'DescribeInstanceStatus TerminateInstances CreateTags DescribeSpotPriceHistory DescribeCapacityReservations',
    'DescribePlacementGroups',
  ]
    .join(' ')
    .split(' ')
    .map((name) => `ec2:${name}`),
  ...['Get', 'Create', 'Delete'].map((verb) => `iam:${verb}InstanceProfile`),
  ...['AddRoleTo', 'RemoveRoleFrom'].map((verb) => `iam:${verb}InstanceProfile`),
  'iam:ListInstanceProfiles',
  'iam:PassRole',
  'eks:DescribeCluster',
  'ssm:GetParameter',
  'pricing:GetProducts',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'arc-zonal-shift:GetManagedResource',
];

describe('the policies of the controller', () => {
  test.each(ACTIONS)('%s is allowed by a statement', (action) => {
    expect(grantsOf(action)).not.toEqual([]);
  });

  it('allows nothing that the controller does not call, but for tagging a profile as it is made', () => {
    const allowed = new Set(statements.flatMap(({ actions }) => actions));
    expect([...allowed].filter((action) => !ACTIONS.includes(action))).toEqual(['iam:TagInstanceProfile']);
  });

  it('names each statement once', () => {
    const sids = statements.map(({ sid }) => sid);
    expect(new Set(sids).size).toBe(sids.length);
  });

  it('lets nothing be written without a tag of the cluster, but for what launches refer to', () => {
    const free = statements.filter(({ conditions, actions }) => !conditions && actions.some(isWrite));
    expect(free.map(({ sid }) => sid)).toEqual(['AllowScopedEC2InstanceAccessActions']);
  });
});

const isWrite = (action: string): boolean => !/:(Get|Describe|List|ReceiveMessage|DeleteMessage)/.test(action);

const encoded = 'You are not authorized to perform this operation. Encoded authorization failure message: abc';
const unallowed = (action: string, resource: string): string =>
  `You are not authorized to perform this operation. User: arn:aws:sts::1:assumed-role/k/s is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action.`;

describe('a call that AWS has denied', () => {
  it('is told with the statement for the resource that AWS names', () => {
    const resource = 'arn:aws:ec2:us-west-2:1:subnet/subnet-1';
    const denied = deniedCall(
      awsError('UnauthorizedOperation', unallowed('ec2:RunInstances', resource)),
      'ec2:CreateFleet',
    );
    expect(denied && denialText(denied)).toBe(
      `missing permission: ec2:RunInstances on ${resource}, granted by statement AllowScopedEC2InstanceAccessActions (KarpenterControllerNodeLifecyclePolicy)`,
    );
  });

  it('is told with all statements for the action when AWS names no resource', () => {
    const denied = deniedCall(awsError('UnauthorizedOperation', encoded), 'ec2:CreateFleet');
    expect(denied?.action).toBe('ec2:CreateFleet');
    expect(denied?.grants.map(({ statement }) => statement.sid)).toEqual([
      'AllowScopedEC2InstanceAccessActions',
      'AllowScopedEC2LaunchTemplateAccessActions',
      'AllowScopedEC2InstanceActionsWithTags',
    ]);
  });

  it.each([
    ['iam:PassRole', 'arn:aws:iam::1:role/path/nodes', 'AllowPassingInstanceRole'],
    ['iam:GetInstanceProfile', 'instance profile blue', 'AllowInstanceProfileReadActions'],
    ['sqs:ReceiveMessage', 'arn:aws:sqs:us-west-2:1:blue', 'AllowInterruptionQueueActions'],
    ['ssm:GetParameter', 'arn:aws:ssm:us-west-2::parameter/aws/service/x', 'AllowSSMReadActions'],
    ['eks:DescribeCluster', 'arn:aws:eks:us-west-2:1:cluster/blue', 'AllowAPIServerEndpointDiscovery'],
    ['pricing:GetProducts', 'arn:aws:pricing:::*', 'AllowPricingReadActions'],
  ])('%s on %s is found in %s', (action, resource, sid) => {
    const denied = deniedCall(awsError('AccessDenied', unallowed(action, resource)), action);
    expect(denied?.grants.map(({ statement }) => statement.sid)).toEqual([sid]);
  });

  it('has no statement to offer against an explicit deny', () => {
    const text = `${unallowed('ec2:RunInstances', 'arn:aws:ec2:us-west-2:1:instance/*')} with an explicit deny in a service control policy`;
    const denied = deniedCall(awsError('UnauthorizedOperation', text), 'ec2:RunInstances');
    expect(denied && denialText(denied)).toBe('denied: ec2:RunInstances on arn:aws:ec2:us-west-2:1:instance/*');
  });

  it('is not seen in other errors', () => {
    expect(deniedCall(awsError('RequestLimitExceeded'), 'ec2:RunInstances')).toBeUndefined();
    expect(deniedCall(new Error('AccessDenied'), 'ec2:RunInstances')).toBeUndefined();
  });
});

test('an action counts in whatever case AWS spells it, as SQS does in small letters', () => {
  const text =
    'User: arn:aws:sts::1:assumed-role/k is not authorized to perform: sqs:receivemessage on resource: arn:aws:sqs:us-west-2:1:q because no identity-based policy allows the sqs:receivemessage action';
  expect(deniedCall(awsError('AccessDenied', text, 403), 'sqs:ReceiveMessage')).toMatchObject({
    action: 'sqs:ReceiveMessage',
    grants: [{ statement: { sid: 'AllowInterruptionQueueActions' } }],
  });
});
