import { beforeEach, describe, expect, test } from 'vitest';
import { DISCOVERY_TAG, type FakeAws, fakeAws, TEST_CLUSTER, TEST_REGION } from '../../../test/aws/fake-ec2.ts';
import { awsError } from '../../../test/aws/scripted-api.ts';
import { ec2NodeClass } from '../../../test/factories/ec2-node-class.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { TAG_EKS_CLUSTER_NAME, TAG_NODE_POOL, tagOfCluster } from '../apis/labels.ts';
import type { IdentityApi } from '../aws-api/apis.ts';
import { tagList } from '../aws-api/tags.ts';
import { DEFAULT_AWS_OPTIONS } from '../aws-options.ts';
import { diagnoseAws } from './aws-doctor.ts';
import type { AwsDoctorDeps } from './deps.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/KarpenterController/session';
const TAGS = { [DISCOVERY_TAG]: TEST_CLUSTER };
const ENDPOINT = 'https://test-cluster.eks.example';
const OWN_TAGS = { [tagOfCluster(TEST_CLUSTER)]: 'owned', [TAG_EKS_CLUSTER_NAME]: TEST_CLUSTER, [TAG_NODE_POOL]: 'p' };

let clock: VirtualClock;
let aws: FakeAws;
let identity: IdentityApi;
let classes: EC2NodeClass[];

beforeEach(() => {
  clock = new VirtualClock();
  aws = fakeAws(clock);
  aws.cloud.addQueue('q');
  identity = {
    credentials: async () => ({ source: 'the instance profile of this machine', expires: clock.now() + 3_600_000 }),
    getCallerIdentity: async () => ({ arn: ARN, account: '123456789012' }),
  };
  classes = [nodeClass('default')];
});

function nodeClass(name: string, spec: Partial<EC2NodeClass['spec']> = {}, status?: EC2NodeClass['status']) {
  const terms = { subnetSelectorTerms: [{ tags: TAGS }], securityGroupSelectorTerms: [{ tags: TAGS }] };
  return {
    ...ec2NodeClass({ metadata: { name, uid: name }, spec: { role: 'nodes', ...terms, ...spec } }),
    ...(status ? { status } : {}),
  };
}

/** An instance and a launch template, as a controller would have left them. */
async function launched(): Promise<void> {
  const { cloud } = aws;
  const data = { InstanceId: 'i-1', Tags: tagList(OWN_TAGS) };
  cloud.instances.set('i-1', { data, launchedAt: 0, reservationId: 'r-1' });
  const template = { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'own', Tags: tagList(OWN_TAGS) };
  cloud.launchTemplates.set('own', { template, data: {} });
  await aws.apis.iam.createInstanceProfile({ InstanceProfileName: 'profile' });
  await aws.apis.iam.addRoleToInstanceProfile({ InstanceProfileName: 'profile', RoleName: 'nodes' });
  classes = classes.map((each) => ({ ...each, status: { instanceProfile: 'profile' } }));
}

async function diagnose(
  changes: Partial<Omit<AwsDoctorDeps, 'options'>> & { options?: Partial<AwsDoctorDeps['options']> } = {},
) {
  const { options, ...deps } = changes;
  const list = async () => ({ items: classes, resourceVersion: '1' });
  const done = diagnoseAws({
    ...{ region: TEST_REGION, apis: aws.apis, identity, clock, env: { AWS_REGION: TEST_REGION } },
    cluster: { client: { list } as never, server: ENDPOINT, version: 'v1.34.1', hasCA: true },
    reservedCapacity: true,
    limits: { timeoutMs: 5000, signal: new AbortController().signal },
    ...deps,
    options: { ...DEFAULT_AWS_OPTIONS, clusterName: TEST_CLUSTER, interruptionQueue: 'q', ...options },
  });
  const { findings, statements } = await done;
  return {
    statements,
    findings,
    /** What was said of one thing. */
    of: (check: string, area?: string) =>
      findings
        .filter((finding) => finding.check === check && (area === undefined || finding.area === area))
        .map(({ verdict, message }) => `${verdict}: ${message}`),
    /** All that was found less than good, by what it is about. */
    troubles: () =>
      Object.fromEntries(
        findings.filter(({ verdict }) => verdict !== 'pass').map(({ check, verdict }) => [check, verdict]),
      ),
  };
}

const denial = (action: string, resource: string, reason = 'because no identity-based policy allows the action') =>
  awsError(
    'UnauthorizedOperation',
    `You are not authorized to perform this operation. User: ${ARN} is not authorized to perform: ${action} on resource: ${resource} ${reason}.`,
    403,
  );

const IAM_WRITES = {
  'iam:CreateInstanceProfile': 'skipped',
  'iam:TagInstanceProfile': 'skipped',
  'iam:AddRoleToInstanceProfile': 'skipped',
  'iam:RemoveRoleFromInstanceProfile': 'skipped',
  'iam:DeleteInstanceProfile': 'skipped',
};

describe('an account that a controller has worked in', () => {
  beforeEach(launched);

  test('has nothing to complain of, and IAM alone can’t be tried', async () => {
    const { troubles, of, statements } = await diagnose();
    expect(troubles()).toEqual(IAM_WRITES);
    expect(statements).toEqual([]);
    expect(of('identity')).toEqual([`pass: ${ARN}`]);
    expect(of('credentials')).toEqual(['pass: the instance profile of this machine, for 60 more minutes']);
    expect(of('subnets')).toEqual(['pass: 3 in us-west-2a, us-west-2b, us-west-2c, with 600 free addresses']);
    expect(of('instance profile')).toEqual(['pass: "profile" with role "nodes"']);
    expect(of('iam:PassRole')).toEqual(['pass: allowed']);
  });

  test('is left as it was: whatever changes something is a dry run', async () => {
    const queue = aws.cloud.queues.get('q');
    queue?.send('a message');
    await diagnose();
    const writes = [
      'createFleet',
      'runInstances',
      'createLaunchTemplate',
      'deleteLaunchTemplate',
      'terminateInstances',
      'createTags',
    ];
    for (const name of writes) {
      expect(aws.calls.inputs(name)).toEqual([expect.objectContaining({ DryRun: true })]);
    }
    const names = aws.calls.all.map(({ name }) => name).filter((name) => /Profile$/.test(name));
    expect(new Set(names.slice(2))).toEqual(new Set(['getInstanceProfile']));
    // The controller's next look at the queue finds the message.
    expect(await queue?.receive(10, 20_000, 0)).toHaveLength(1);
  });

  test('asks for the smallest of everything', async () => {
    await diagnose();
    expect(aws.calls.inputs('receiveMessage')).toEqual([
      expect.objectContaining({ MaxNumberOfMessages: 1, VisibilityTimeout: 0, WaitTimeSeconds: 0 }),
    ]);
    expect(aws.calls.inputs('getProducts')).toEqual([{ ServiceCode: 'AmazonEC2', MaxResults: 1 }]);
  });

  test.each([
    [
      'ec2:RunInstances',
      'runInstances',
      'arn:aws:ec2:us-west-2:123456789012:subnet/subnet-1',
      ['AllowScopedEC2InstanceAccessActions'],
    ],
    [
      'ec2:TerminateInstances',
      'terminateInstances',
      'arn:aws:ec2:us-west-2:123456789012:instance/i-1',
      ['AllowScopedDeletion'],
    ],
    [
      'ec2:CreateTags',
      'createTags',
      'arn:aws:ec2:us-west-2:123456789012:instance/i-1',
      ['AllowScopedResourceCreationTagging', 'AllowScopedResourceTagging'],
    ],
    ['iam:PassRole', 'runInstances', 'arn:aws:iam::123456789012:role/nodes', ['AllowPassingInstanceRole']],
    ['ec2:DescribeSubnets', 'describeSubnets', undefined, ['AllowRegionalReadActions']],
  ])('a denied %s is told with its resource and the statements that grant it', async (action, call, resource, sids) => {
    aws.calls.fail(call, denial(action, resource ?? '*'));
    const { findings, statements } = await diagnose();
    expect(findings.filter(({ check }) => check === action)).toMatchObject([
      { area: 'Permissions', verdict: 'fail', grantedBy: sids, message: `denied on ${resource ?? '*'}` },
    ]);
    expect(statements.map(({ Sid }) => Sid)).toEqual(sids);
  });

  test('statements have the names of this account, role and cluster', async () => {
    aws.calls.fail('runInstances', denial('iam:PassRole', 'arn:aws:iam::123456789012:role/nodes'));
    const { statements, of } = await diagnose();
    expect(of('ec2:RunInstances')).toEqual(['skipped: not tried: EC2 refuses iam:PassRole first']);
    expect(statements).toEqual([
      {
        Sid: 'AllowPassingInstanceRole',
        Effect: 'Allow',
        Action: ['iam:PassRole'],
        Resource: ['arn:aws:iam::123456789012:role/nodes'],
        Condition: { StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } },
      },
    ]);
  });

  test('no statement helps against an explicit deny', async () => {
    aws.calls.fail(
      'terminateInstances',
      denial('ec2:TerminateInstances', '*', 'with an explicit deny in a service control policy'),
    );
    const { findings, statements } = await diagnose();
    const [found] = findings.filter(({ check }) => check === 'ec2:TerminateInstances');
    expect(found).toMatchObject({ verdict: 'fail', fix: [expect.stringContaining('service control policies')] });
    expect(statements).toEqual([]);
  });

  test('what works without a permission is no failure', async () => {
    aws.calls.fail('getProducts', awsError('AccessDeniedException', 'no', 400));
    const { of } = await diagnose();
    expect(of('pricing:GetProducts')).toEqual([
      expect.stringMatching(/^warn: denied; without it the prices that come with/),
    ]);
  });

  test('what AWS does not answer keeps nothing else from being told', async () => {
    const pricing = { getProducts: () => new Promise<never>(() => {}) };
    const done = diagnose({ apis: { ...aws.apis, pricing } });
    await clock.advance(10_000);
    const { of, troubles } = await done;
    expect(of('pricing:GetProducts')).toEqual(['warn: no answer within 10s']);
    expect(troubles()).toEqual({ ...IAM_WRITES, 'pricing:GetProducts': 'warn' });
  });

  test('an error that says nothing of permissions is told as it is', async () => {
    aws.calls.fail('describeSpotPriceHistory', awsError('InternalError', 'try again', 500));
    expect((await diagnose()).of('ec2:DescribeSpotPriceHistory')).toEqual([
      'warn: AWS does not tell: InternalError: try again',
    ]);
  });

  test('on an EC2 that carries dry runs out nothing is tried but reading', async () => {
    const describeInstanceTypes = async () => ({ InstanceTypes: [] });
    const { troubles } = await diagnose({ apis: { ...aws.apis, ec2: { ...aws.apis.ec2, describeInstanceTypes } } });
    expect(troubles()).toMatchObject({
      EC2: 'warn',
      'trial launch': 'skipped',
      'ec2:TerminateInstances': 'skipped',
      'ec2:CreateFleet': 'skipped',
    });
    expect(aws.calls.inputs('runInstances')).toEqual([]);
    expect(aws.calls.inputs('terminateInstances')).toEqual([]);
  });
});

test('in a new account the calls that need something of the cluster’s own are left for later', async () => {
  expect((await diagnose()).troubles()).toEqual({
    ...IAM_WRITES,
    'instance profile': 'skipped',
    'iam:PassRole': 'skipped',
    'ec2:CreateFleet': 'skipped',
    'ec2:DeleteLaunchTemplate': 'skipped',
    'ec2:TerminateInstances': 'skipped',
    'ec2:CreateTags': 'skipped',
  });
});

describe('without the first things nothing more is asked:', () => {
  const REST = { 'the rest': 'skipped' };

  test('credentials', async () => {
    identity = {
      ...identity,
      credentials: () => Promise.reject(new Error('Could not load credentials from any providers')),
    };
    const { troubles, of } = await diagnose();
    expect(troubles()).toEqual({ credentials: 'fail', ...REST });
    expect(of('credentials')).toEqual(['fail: none to be found: Could not load credentials from any providers']);
    expect(aws.calls.all).toEqual([]);
  });

  test('credentials that AWS knows', async () => {
    const error = awsError('AuthFailure', 'AWS was not able to validate the provided access credentials', 401);
    aws.calls.fail('describeInstanceTypes', error);
    identity = { ...identity, getCallerIdentity: () => Promise.reject(awsError('InvalidClientTokenId', 'no', 403)) };
    expect((await diagnose()).troubles()).toEqual({ identity: 'fail', EC2: 'fail', ...REST });
  });

  test('credentials that are still good', async () => {
    identity = {
      ...identity,
      credentials: async () => ({ source: 'AWS_ACCESS_KEY_ID in the environment', expires: clock.now() - 1 }),
    };
    expect((await diagnose()).of('credentials')).toEqual([expect.stringContaining('have expired')]);
  });

  test('an EC2 that answers', async () => {
    aws.calls.fail('describeInstanceTypes', new Error('getaddrinfo ENOTFOUND ec2.us-west-2.amazonaws.com'));
    const { troubles, of } = await diagnose();
    expect(troubles()).toEqual({ EC2: 'fail', ...REST });
    expect(of('EC2')).toEqual(['fail: no answer: getaddrinfo ENOTFOUND ec2.us-west-2.amazonaws.com']);
  });

  test('but an STS that is out of reach is no obstacle', async () => {
    identity = { ...identity, getCallerIdentity: () => Promise.reject(new Error('ETIMEDOUT')) };
    expect((await diagnose()).troubles()).toMatchObject({ identity: 'skipped', 'ec2:CreateFleet': 'skipped' });
  });
});

describe('the cluster', () => {
  test('that EKS does not know has no endpoint', async () => {
    const { of, troubles } = await diagnose({ options: { clusterName: 'other' } });
    expect(troubles()).toMatchObject({ 'EKS cluster': 'fail', 'cluster endpoint': 'fail', 'cluster CIDR': 'fail' });
    expect(of('EKS cluster')).toEqual([
      expect.stringContaining('"other": ResourceNotFoundException: No cluster found'),
    ]);
    expect(of('eks:DescribeCluster')).toEqual(['pass: allowed']);
  });

  test('without a name is a failure, told beside the rest', async () => {
    const { troubles } = await diagnose({ options: { clusterName: '' } });
    expect(troubles()).toMatchObject({ 'cluster name': 'fail', 'eks:DescribeCluster': 'skipped' });
  });

  test('outside EKS needs no EKS, unless for AL2023', async () => {
    const options = { clusterName: 'own', clusterEndpoint: ENDPOINT };
    classes = [nodeClass('default', { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] })];
    const { of } = await diagnose({ options });
    expect(of('cluster endpoint')).toEqual([`pass: ${ENDPOINT}, as given`]);
    expect(of('eks:DescribeCluster')).toEqual(['skipped: not tried: nothing here needs EKS']);
    classes = [nodeClass('default')];
    expect((await diagnose({ options })).of('cluster CIDR')).toEqual([expect.stringMatching(/^fail: AL2023/)]);
  });

  test('of the kubeconfig may be another than the named one', async () => {
    const list = async () => ({ items: [], resourceVersion: '1' });
    const cluster = {
      client: { list } as never,
      server: 'https://staging.example:6443',
      version: 'v1.34.1',
      hasCA: false,
    };
    const { of, troubles } = await diagnose({ cluster });
    expect(of('cluster endpoint')).toEqual([
      expect.stringContaining('but the kubeconfig has https://staging.example:6443'),
    ]);
    expect(troubles()).toMatchObject({ 'cluster CA': 'fail', EC2NodeClasses: 'skipped' });
  });

  test('may be too new', async () => {
    const list = async () => ({ items: [], resourceVersion: '1' });
    const { of } = await diagnose({
      cluster: { client: { list } as never, server: ENDPOINT, version: 'v1.99.0', hasCA: true },
    });
    expect(of('Kubernetes version')).toEqual([expect.stringContaining('not compatible')]);
  });
});

describe('the queue', () => {
  test('is worth having', async () => {
    const { troubles, of } = await diagnose({ options: { interruptionQueue: '' } });
    expect(troubles()).toMatchObject({ 'interruption queue': 'warn', 'sqs:GetQueueUrl': 'skipped' });
    expect(of('sqs:ReceiveMessage')).toEqual(['skipped: not tried: there is no --interruption-queue']);
  });

  test('may not exist', async () => {
    const { of } = await diagnose({ options: { interruptionQueue: 'gone' } });
    expect(of('interruption queue')).toEqual(['fail: "gone" does not exist']);
    expect(of('sqs:GetQueueUrl')).toEqual(['pass: allowed']);
  });

  test('may be forbidden', async () => {
    aws.calls.fail(
      'receiveMessage',
      awsError(
        'AccessDenied',
        `User: ${ARN} is not authorized to perform: sqs:receivemessage on resource: arn:aws:sqs:us-west-2:123456789012:q because no`,
        403,
      ),
    );
    const { findings, statements } = await diagnose();
    expect(findings.find(({ check }) => check === 'sqs:ReceiveMessage')).toMatchObject({
      verdict: 'fail',
      grantedBy: ['AllowInterruptionQueueActions'],
    });
    expect(statements[0]?.Resource).toEqual(['arn:aws:sqs:us-west-2:123456789012:q']);
  });
});

describe('a node class', () => {
  test('that selects nothing is told the values that there are', async () => {
    classes = [nodeClass('slip', { subnetSelectorTerms: [{ tags: { [DISCOVERY_TAG]: 'tset-cluster' } }] })];
    const { findings } = await diagnose();
    expect(findings.find(({ check }) => check === 'subnets')).toMatchObject({
      area: 'EC2NodeClass slip',
      verdict: 'fail',
      details: [`values of the tag ${DISCOVERY_TAG} here: ${TEST_CLUSTER}`],
      fix: [expect.stringContaining('aws ec2 create-tags')],
    });
  });

  test('one of whose terms selects nothing is only warned', async () => {
    classes = [nodeClass('slip', { securityGroupSelectorTerms: [{ tags: TAGS }, { id: 'sg-gone' }] })];
    const { of } = await diagnose();
    expect(of('security groups')).toEqual([
      'pass: sg-test1 (securityGroup-test1), sg-test2 (securityGroup-test2)',
      'warn: nothing in this account and region is selected by id sg-gone',
    ]);
  });

  test('with subnets and groups of two networks launches nothing', async () => {
    aws.cloud.securityGroups.push({ GroupId: 'sg-far', GroupName: 'far', VpcId: 'vpc-2', Tags: tagList(TAGS) });
    expect((await diagnose()).of('network')).toEqual([expect.stringMatching(/^fail: security groups sg-far are not/)]);
  });

  test('with few free addresses is warned', async () => {
    classes = [nodeClass('small', { subnetSelectorTerms: [{ id: 'subnet-test1' }] })];
    for (const subnet of aws.cloud.subnets) subnet.AvailableIpAddressCount = 3;
    expect((await diagnose()).of('subnets')).toEqual([expect.stringMatching(/^warn: 1 in us-west-2a, with 3 free/)]);
  });

  test.each<[string, EC2NodeClass['spec']['amiSelectorTerms'], RegExp]>([
    [
      'an alias that is not published',
      [{ alias: 'bottlerocket@v9.9.9' }],
      /^fail: alias bottlerocket@v9\.9\.9: failed to discover any AMIs/,
    ],
    ['an alias that this version of Kubernetes has no more', [{ alias: 'al2@latest' }], /^fail: alias al2@latest: /],
    [
      'an image that is not there',
      [{ id: 'ami-gone' }],
      /^fail: nothing in this account and region is selected by id ami-gone/,
    ],
    ['an image of its own', [{ tags: { team: 'platform' } }], /^pass: 1, the newest is image-own/],
  ])('AMIs: %s', async (_, amiSelectorTerms, expected) => {
    classes = [nodeClass('images', { amiSelectorTerms, amiFamily: 'AL2023' })];
    expect((await diagnose()).of('AMIs')).toEqual([expect.stringMatching(expected)]);
  });

  test('whose instance profile is not there is told so', async () => {
    classes = [nodeClass('own', { instanceProfile: 'mine', role: undefined })];
    expect((await diagnose()).of('instance profile')).toEqual(['fail: "mine" does not exist']);
    classes = [nodeClass('made', {}, { instanceProfile: 'gone' })];
    expect((await diagnose()).of('instance profile')).toEqual([
      expect.stringMatching(/^warn: "gone" is gone; the controller makes/),
    ]);
  });

  test('whose fields have no effect is told which', async () => {
    const capacityReservationSelectorTerms = [{ tags: TAGS }];
    const windows = { amiSelectorTerms: [{ alias: 'windows2022@latest' }], instanceStorePolicy: 'RAID0' as const };
    classes = [nodeClass('idle', { ...windows, capacityReservationSelectorTerms })];
    expect((await diagnose()).of('no effect')).toEqual([expect.stringMatching(/^warn: spec\.instanceStorePolicy/)]);
    expect((await diagnose({ reservedCapacity: false })).of('no effect')).toHaveLength(2);
  });

  test('that a controller has found not ready says why', async () => {
    const condition = {
      type: 'SubnetsReady',
      status: 'False',
      reason: 'SubnetsNotFound',
      message: 'none',
      lastTransitionTime: '',
    } as const;
    classes = [
      nodeClass('bad', {}, { conditions: [{ ...condition, type: 'Ready', reason: 'UnhealthyDependents' }, condition] }),
    ];
    const { findings } = await diagnose();
    expect(findings.find(({ check }) => check === 'conditions')).toMatchObject({
      verdict: 'warn',
      details: ['SubnetsReady: SubnetsNotFound: none'],
    });
  });

  test('that EC2 would refuse to launch is told what it says', async () => {
    aws.calls.fail('runInstances', awsError('Unsupported', 'The requested configuration is currently not supported.'));
    const { of } = await diagnose();
    expect(of('trial launch')).toEqual([
      expect.stringMatching(/^warn: EC2 would not launch m5\.large of ami-al2023.* Unsupported: The/),
    ]);
    expect(of('ec2:RunInstances')).toEqual([expect.stringMatching(/^warn: AWS does not tell: Unsupported/)]);
  });
});

test('zonal shift is looked at where it is asked for', async () => {
  const enabled = await diagnose({ options: { enableZonalShift: true } });
  expect(enabled.of('zonal shift')).toEqual(['pass: the cluster is enabled for it']);
  aws.calls.fail('getManagedResource', awsError('ResourceNotFoundException', 'not registered', 404));
  const other = await diagnose({ options: { enableZonalShift: true } });
  expect(other.of('zonal shift')).toEqual([expect.stringContaining('ResourceNotFoundException: not registered')]);
  expect((await diagnose()).of('arc-zonal-shift:GetManagedResource')).toEqual([]);
});
