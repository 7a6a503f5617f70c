import type { RunInstancesRequest } from '@aws-sdk/client-ec2';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fakeInstanceType, GPU_AMI, STANDARD_AMI } from '../../../../../test/aws/fake-findings.ts';
import { NodeClassApi, NodeClassWorld, type NodeClassWorldOptions } from '../../../../../test/aws/node-class-world.ts';
import { awsError } from '../../../../../test/aws/scripted-api.ts';
import { nodePool } from '../../../../../test/factories/index.ts';
import type { NodePool } from '../../../../apis/node-pool.ts';
import { NodePools } from '../../../../kube/resources.ts';
import { VirtualClock } from '../../../../simulation/virtual-clock.ts';
import { AWS_GROUP, Ec2NodeClasses } from '../../../apis/ec2-node-class.ts';
import { KubeletExpressions } from '../../../kubelet/expressions.ts';
import { InstanceTypesUnknownError } from '../../../providers/contracts.ts';

const MINUTE = 60_000;

let api: NodeClassApi;
let world: NodeClassWorld;
beforeAll(async () => {
  api = await NodeClassApi.open();
});
afterAll(async () => await api.close());
beforeEach(async () => {
  world = await NodeClassWorld.open(api);
});
afterEach(async () => await world.close());

const validation = async () => await world.condition('ValidationSucceeded');
const calls = (): readonly string[] =>
  world.aws.calls.all.map(({ name }) => name).filter((name) => name === 'createFleet' || name === 'runInstances');
const TRUE = { status: 'True', reason: 'ValidationSucceeded', message: '' };
const failed = (reason: string, message: string) => ({ status: 'False', reason, message });

async function reopen(options: NodeClassWorldOptions): Promise<void> {
  await world.close();
  world = await NodeClassWorld.open(api, options);
}

/** Lets the class be looked at so often, by the period of its subnets. */
async function look(times = 1): Promise<void> {
  await world.clock.advance(times * MINUTE);
}

describe('7.1: the addresses of Services', () => {
  test('are needed of AL2023 only', async () => {
    world.findings.fail('resolveClusterCIDR', awsError('AccessDeniedException', 'no', 403));
    await world.create({ spec: { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] } });
    expect(await validation()).toEqual(TRUE);
  });

  test('may not be found', async () => {
    world.findings.fail('resolveClusterCIDR', awsError('AccessDeniedException', 'no', 403));
    await world.create();
    expect(await validation()).toEqual(failed('ClusterCIDRResolutionFailed', 'Failed to detect the cluster CIDR'));
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: 'failed to detect the cluster CIDR, no',
    });
  });

  test.each([
    ['is in trouble', awsError('ServerException', 'no', 500)],
    ['is asked too often', awsError('ThrottlingException', 'no', 429)],
    ['can not be reached', Object.assign(new Error('socket hang up'), { $metadata: { attempts: 3 } })],
  ])('are asked for again when EKS %s', async (_, error) => {
    world.findings.fail('resolveClusterCIDR', error);
    await world.create();
    expect(await validation()).toMatchObject({ status: 'Unknown', reason: 'AwaitingReconciliation' });
    world.findings.errors.clear();
    await world.clock.advance(MINUTE);
    expect(await validation()).toEqual(TRUE);
  });
});

describe('7.2 to 7.5: the kubelet configuration', () => {
  const withKubelet = async (kubelet: object, alias = 'al2023@latest') =>
    await world.create({ spec: { kubelet, amiSelectorTerms: [{ alias }] } } as never);

  test('7.2: is refused if kubelets would not take it, before anything else', async () => {
    world.findings.amis = [];
    await withKubelet({ registerWithTaints: [], podsPerCore: -1 });
    const { reason, message } = (await validation()) ?? {};
    expect(reason).toBe('InvalidKubeletConfiguration');
    expect(message?.split('; ')).toHaveLength(2);
    expect(world.reconciled.some(({ result }) => result === 'error')).toBe(false);
  });

  test('7.3: is refused with expressions while their feature gate is off', async () => {
    await withKubelet({ maxPods: 'vcpus * 10' });
    const message = 'spec.kubelet contains a CEL expression, but the NodeClassCEL feature gate is disabled';
    expect(await validation()).toEqual(failed('KubeletExpressionsDisabled', message));
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: 'kubelet expressions are disabled',
    });
    expect(await world.looksWithin(60 * MINUTE)).toBe(0);
  });

  test('7.4: is refused with something that is no expression', async () => {
    await reopen({ expressions: await KubeletExpressions.load(new VirtualClock()) });
    await withKubelet({ kubeReserved: { cpu: 'vcpu * 10' } });
    const { reason, message } = (await validation()) ?? {};
    expect(reason).toBe('KubeletExpressionInvalid');
    expect(message).toMatch(/^validating expression, .*\(field=spec\.kubelet\.kubeReserved\[cpu\]\)$/s);
    expect(await world.looksWithin(60 * MINUTE)).toBe(0);
  });

  test('7.5: is refused with what the AMI family would drop', async () => {
    await withKubelet({ streamingConnectionIdleTimeout: '1h' }, 'bottlerocket@latest');
    expect(await validation()).toEqual(
      failed(
        'UnsupportedKubeletConfiguration',
        'spec.kubelet has fields not applied by the Bottlerocket AMI family that would be silently dropped: streamingConnectionIdleTimeout',
      ),
    );
    expect(await world.looksWithin(60 * MINUTE)).toBe(0);
  });
});

describe('7.6: what else has to be ready', () => {
  const message = 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution';

  test.each(['amis', 'subnets', 'securityGroups'] as const)('%s that are not there make it false', async (what) => {
    world.findings[what] = [];
    await world.create();
    expect(await validation()).toEqual(failed('DependenciesNotReady', message));
    expect(calls()).toEqual([]);
  });

  test('what is not known yet makes it unknown', async () => {
    world.findings.fail('subnets', awsError('InternalError'));
    await world.create();
    expect(await validation()).toEqual({ status: 'Unknown', reason: 'DependenciesNotReady', message });
  });

  test('nor is it without an instance profile', async () => {
    world.aws.cloud.roles = new Set();
    await world.create();
    expect(await validation()).toEqual({ status: 'Unknown', reason: 'DependenciesNotReady', message });
    expect(calls()).toEqual([]);
  });

  test('placement groups do not count', async () => {
    await world.create({ spec: { placementGroupSelector: { id: 'pg-1' } } });
    expect(await validation()).toEqual(TRUE);
  });
});

describe('7.7: expressions are tried on every type', () => {
  beforeEach(async () => await reopen({ expressions: await KubeletExpressions.load(new VirtualClock()) }));
  const create = async () => await world.create({ spec: { kubelet: { maxPods: 'vcpus' } } });

  test('and one that fails makes the class fail', async () => {
    world.findings.fail('tryKubeletExpressions', new Error('evaluating expression, too many'));
    await create();
    expect(await validation()).toEqual(failed('KubeletExpressionEvaluationFailed', 'evaluating expression, too many'));
    expect(await world.looksWithin(60 * MINUTE)).toBe(0);
  });

  test('as soon as they are known', async () => {
    world.findings.fail('tryKubeletExpressions', new InstanceTypesUnknownError());
    await create();
    expect(await validation()).toMatchObject({ status: 'Unknown' });
    world.findings.errors.clear();
    await look();
    expect(await validation()).toEqual(TRUE);
  });
});

test('7.8: tags by which Karpenter knows its own are refused, even if the API takes them', async () => {
  await world.close();
  const lenient = await NodeClassApi.open({ withoutRules: true });
  world = await NodeClassWorld.open(lenient);
  await world.create({
    spec: { tags: { 'karpenter.sh/nodepool': 'x', team: 'a', 'kubernetes.io/cluster/blue': 'y' } },
  });
  const message = 'tags failed validation requirements (tags="karpenter.sh/nodepool", "kubernetes.io/cluster/blue")';
  expect(await validation()).toEqual(failed('TagValidationFailed', message));
  expect(await world.looksWithin(60 * MINUTE)).toBe(0);
  await lenient.close();
});

describe('7.9: outcomes are kept', () => {
  test('for half an hour', async () => {
    await world.create();
    await look(29);
    expect(calls()).toEqual(['createFleet', 'runInstances']);
    await look(2);
    expect(calls()).toHaveLength(4);
  });

  test('even bad ones', async () => {
    world.aws.calls.forbid('createFleet');
    await world.create();
    world.aws.calls.succeed('createFleet');
    await look(29);
    expect(await validation()).toMatchObject({ reason: 'CreateFleetAuthCheckFailed' });
    await look(2);
    expect(await validation()).toEqual(TRUE);
  });

  test('until something changes that matters, be it not the order of lists', async () => {
    await world.create();
    await world.edit({ detailedMonitoring: true });
    expect(calls()).toHaveLength(4);
    await world.client.patch(
      Ec2NodeClasses,
      { name: 'default' },
      { type: 'merge', body: { metadata: { annotations: { 'example.com/again': 'please' } } } },
    );
    await look();
    expect(calls()).toHaveLength(6);
    world.findings.amis = [GPU_AMI, STANDARD_AMI];
    await look(5);
    expect(calls()).toHaveLength(8);
    world.findings.amis = [STANDARD_AMI, GPU_AMI];
    await look(5);
    expect((await world.nodeClass()).status?.amis?.map(({ id }) => id)).toEqual(['ami-standard', 'ami-gpu']);
    expect(calls()).toHaveLength(8);
  });
});

test('7.10: AWS is not asked when dry runs are off', async () => {
  await reopen({ disableDryRun: true });
  world.aws.calls.forbid('createFleet');
  await world.create();
  expect(await validation()).toEqual(TRUE);
  expect(world.findings.launches).toEqual([]);
  expect(calls()).toEqual([]);
});

describe('7.11: AWS is asked', () => {
  test('with a launch template of one type, a fleet of it in all subnets, and one instance', async () => {
    await world.create({ spec: { tags: { team: 'a' } } });
    const tags = {
      team: 'a',
      'kubernetes.io/cluster/test-cluster': 'owned',
      'karpenter.sh/nodepool': '',
      'eks:eks-cluster-name': 'test-cluster',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    };
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    expect(world.findings.launches).toEqual([{ types: ['m5.large'], tags, tenancy: 'default' }]);
    const template = { LaunchTemplateName: 'template', Version: '$Latest' };
    expect(world.aws.calls.inputs('createFleet')).toEqual([
      {
        DryRun: true,
        Type: 'instant',
        LaunchTemplateConfigs: [
          {
            LaunchTemplateSpecification: template,
            Overrides: ['subnet-test3', 'subnet-test2', 'subnet-test1'].map((SubnetId) => ({
              InstanceType: 'm5.large',
              SubnetId,
            })),
          },
        ],
        TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
        OnDemandOptions: { AllocationStrategy: 'lowest-price' },
        TagSpecifications: ['instance', 'volume', 'fleet'].map((ResourceType) => ({ ResourceType, Tags })),
      },
    ]);
    expect(world.aws.calls.inputs('runInstances')).toEqual([
      {
        DryRun: true,
        MinCount: 1,
        MaxCount: 1,
        LaunchTemplate: template,
        InstanceType: 'm5.large',
        NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-test3' }],
        TagSpecifications: ['instance', 'volume', 'network-interface'].map((ResourceType) => ({ ResourceType, Tags })),
      },
    ]);
    // A throttled trial is not pressed.
    const trials = world.aws.calls.all.filter(({ name }) => ['createFleet', 'runInstances'].includes(name));
    expect(trials.map(({ once }) => once)).toEqual([true, true]);
  });

  test('with the network interfaces of the class', async () => {
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' as const },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' as const },
    ];
    await world.create({ spec: { networkInterfaces } });
    const [input] = world.aws.calls.inputs('runInstances');
    expect(input?.NetworkInterfaces).toEqual([
      { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: 'interface', SubnetId: 'subnet-test3' },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', SubnetId: 'subnet-test3' },
    ]);
  });

  const WHY = 'User is not authorized to perform this operation because no identity-based policy allows it';
  const DENIED = awsError(
    'UnauthorizedOperation',
    'You are not authorized to perform this operation. User: arn:aws:sts::1:assumed-role/k/s is not authorized to perform: iam:PassRole on resource: arn:aws:iam::1:role/nodes because no identity-based policy allows the iam:PassRole action',
    403,
  );

  test.each([
    ['ensureAll', 'CreateLaunchTemplate'],
    ['createFleet', 'CreateFleet'],
    ['runInstances', 'RunInstances'],
  ])('and %s may not be allowed: the message says what is missing', async (call, action) => {
    if (call === 'ensureAll') world.findings.fail(call, DENIED);
    else world.aws.calls.fail(call, DENIED);
    await world.create();
    expect(await validation()).toEqual(
      failed(
        `${action}AuthCheckFailed`,
        `Controller isn't authorized to call ec2:${action}: ${WHY}; missing permission: iam:PassRole on arn:aws:iam::1:role/nodes, granted by statement AllowPassingInstanceRole (KarpenterControllerIAMIntegrationPolicy)`,
      ),
    );
    expect(world.logged).toContain(`unauthorized to call ec2:${action}`);
    expect(world.reconciled.some(({ result }) => result === 'error')).toBe(false);
  });

  test('and user data may be too large', async () => {
    const error = awsError('InvalidUserData.Malformed', 'User data is limited to 16384 bytes');
    world.findings.fail('ensureAll', error);
    await world.create();
    expect(await validation()).toEqual(
      failed(
        'UserDataSizeLimitExceeded',
        'ec2:CreateLaunchTemplate rejected the rendered user data as too large: Rendered user data exceeds the EC2 user data size limit',
      ),
    );
    world.findings.errors.clear();
    await look(29);
    expect(world.findings.launches).toHaveLength(1);
  });

  test.each([
    ['ensureAll', awsError('RequestLimitExceeded', 'slow down', 400)],
    ['ensureAll', awsError('InternalError', 'oh', 500)],
    ['createFleet', awsError('RequestLimitExceeded', 'slow down', 400)],
    ['createFleet', awsError('InternalError', 'oh', 500)],
    ['runInstances', awsError('RequestLimitExceeded', 'slow down', 400)],
    ['runInstances', awsError('InternalError', 'oh', 500)],
  ])('and %s is asked again after %s', async (call, error) => {
    if (call === 'ensureAll') world.findings.fail(call, error);
    else world.aws.calls.fail(call, error);
    await world.create();
    expect(await validation()).toMatchObject({ status: 'Unknown' });
    expect(world.reconciled.some(({ result }) => result === 'error')).toBe(false);
    world.findings.errors.clear();
    world.aws.calls.succeed(call);
    await look();
    expect(await validation()).toEqual(TRUE);
  });

  test.each([
    ['ensureAll', 'CreateLaunchTemplate'],
    ['createFleet', 'CreateFleet'],
    ['runInstances', 'RunInstances'],
  ])('and %s may fail otherwise', async (call, action) => {
    if (call === 'ensureAll') world.findings.fail(call, awsError('Strange', 'hm'));
    else world.aws.calls.fail(call, awsError('Strange', 'hm'));
    await world.create();
    expect(await validation()).toMatchObject({ status: 'Unknown' });
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: `validating ec2:${action} authorization, hm`,
    });
  });

  test('and one subnet that can be launched in is enough', async () => {
    world.aws.calls.fail('runInstances', awsError('Strange', 'hm'), 2);
    await world.create();
    expect(await validation()).toEqual(TRUE);
    expect(world.aws.calls.inputs('runInstances')).toHaveLength(3);
  });

  test('and if none can be, the first one’s error counts', async () => {
    const inFirst = ({ NetworkInterfaces: [card] = [] }: RunInstancesRequest) => card?.SubnetId === 'subnet-test3';
    world.aws.calls.fail('runInstances', (input) => (inFirst(input) ? DENIED : awsError('Strange', 'hm')));
    await world.create();
    expect(await validation()).toMatchObject({ reason: 'RunInstancesAuthCheckFailed' });
    expect(world.aws.calls.inputs('runInstances')).toHaveLength(3);
  });

  const UNKNOWN = awsError('InvalidParameterValue', 'Value (x) is invalid. Invalid IAM Instance Profile name');

  test('and the profile that the class names may be missing, which is asked for again', async () => {
    world.aws.calls.fail('runInstances', UNKNOWN);
    await world.create({ spec: { role: undefined, instanceProfile: 'mine' } });
    expect(await validation()).toEqual(failed('InstanceProfileNotFound', 'Instance profile "mine" not found'));
    world.aws.calls.succeed('runInstances');
    await look();
    expect(await validation()).toEqual(TRUE);
  });

  test('and EC2 may not know a new profile yet', async () => {
    world.aws.calls.fail('runInstances', UNKNOWN);
    await world.create();
    expect(await validation()).toMatchObject({ status: 'Unknown' });
    world.aws.calls.succeed('runInstances');
    await look();
    expect(await validation()).toEqual(TRUE);
  });
});

describe('7.11: the type to ask with', () => {
  const CLASS = { group: AWS_GROUP, kind: 'EC2NodeClass', name: 'default' };
  type Requirements = NodePool['spec']['template']['spec']['requirements'];
  const pool = async (requirements: Requirements, labels = {}, nodeClassRef = CLASS) => {
    const template = { metadata: { labels }, spec: { nodeClassRef, requirements } };
    await world.client.create(NodePools, nodePool({ spec: { template } }));
  };
  const only = (name: string): Requirements => [
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [name] },
  ];
  const types = () => world.findings.launches[0]?.types;

  beforeEach(() => {
    world.findings.amis = [GPU_AMI, STANDARD_AMI];
    world.findings.instanceTypes = [
      fakeInstanceType('p3.large', { gpus: 1 }),
      fakeInstanceType('c5.large'),
      fakeInstanceType('m5.large'),
    ];
  });

  test('is one that a pool of the class may ask for', async () => {
    await pool(only('m5.large'), {}, { ...CLASS, name: 'other' });
    await pool(only('c5.large'));
    await world.create();
    expect(types()).toEqual(['c5.large']);
  });

  test('is one that the labels of a pool allow', async () => {
    await pool([], { 'node.kubernetes.io/instance-type': 'm5.large' });
    await world.create();
    expect(types()).toEqual(['m5.large']);
  });

  test('is one without accelerators if possible', async () => {
    await pool([]);
    await world.create();
    expect(types()).toEqual(['c5.large']);
  });

  test('has accelerators if it must', async () => {
    await pool(only('p3.large'));
    await world.create();
    expect(types()).toEqual(['p3.large']);
  });

  test('is a usual one for a class that no pool uses', async () => {
    await world.create();
    expect(types()).toEqual(['m5.large']);
  });

  test('is a usual one for Windows', async () => {
    const windows = { key: 'kubernetes.io/os', operator: 'In', values: ['windows'] } as const;
    world.findings.amis = [{ ...STANDARD_AMI, requirements: [...STANDARD_AMI.requirements, windows] }];
    await pool(only('c5.large'));
    await world.create({ spec: { amiSelectorTerms: [{ alias: 'windows2022@latest' }] } });
    expect(types()).toEqual(['m5.large']);
  });

  test('is any when the usual ones are not sold', async () => {
    world.findings.instanceTypes = [fakeInstanceType('c5.large')];
    await world.create();
    expect(types()).toEqual(['c5.large']);
  });

  test('is none when no image fits', async () => {
    world.findings.instanceTypes = [fakeInstanceType('a1.large', { arch: 'arm64' })];
    await world.create();
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: 'no instance type fits the AMIs of the class',
    });
  });

  test('is on dedicated machines when a pool may ask for them', async () => {
    await pool([{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['default', 'dedicated'] }]);
    await world.create();
    expect(world.findings.launches[0]?.tenancy).toBe('dedicated');
  });
});
