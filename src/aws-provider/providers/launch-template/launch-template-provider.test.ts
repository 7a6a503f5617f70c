import { describe, expect, test } from 'vitest';
import {
  instanceType,
  type Launch,
  launchTemplateWorld,
  loadExpressions,
  userDataOf,
} from '../../../../test/aws/launch-template-world.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { causeOf, NodeClassNotReadyError } from '../../../cloudprovider/errors.ts';
import { Requirements } from '../../../scheduling/requirements.ts';

const MINUTE_MS = 60_000;

async function world(...args: Parameters<typeof launchTemplateWorld>) {
  const made = launchTemplateWorld(...args);
  await made.templates.resolveClusterCIDR();
  return made;
}

const amd64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] } as const;
const arm64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] } as const;

describe('16: instance types share a template', () => {
  const groups = async (launch: Launch, deps = {}) => {
    const { ensure } = await world(deps);
    const made = await ensure(launch);
    return made.map(({ instanceTypes, imageID }) => [imageID, ...instanceTypes.map(({ name }) => name)]);
  };

  test('when they have room for as many pods', async () => {
    const types = [instanceType('m5.large', 29), instanceType('c5.xlarge', 58), instanceType('c5.large', 29)];
    expect(await groups({ types })).toEqual([
      ['ami-1', 'm5.large', 'c5.large'],
      ['ami-1', 'c5.xlarge'],
    ]);
  });

  test('and run the same image', async () => {
    const ofArch = (name: string, arch: string) => ({
      ...instanceType(name),
      requirements: Requirements.fromLabels({ 'kubernetes.io/arch': arch }),
    });
    const types = [ofArch('m5.large', 'amd64'), ofArch('m6g.large', 'arm64'), ofArch('c5.large', 'amd64')];
    const status = {
      amis: [
        { id: 'ami-arm', requirements: [arm64] },
        { id: 'ami-x', requirements: [amd64] },
      ],
    };
    expect(await groups({ types, status })).toEqual([
      ['ami-x', 'm5.large', 'c5.large'],
      ['ami-arm', 'm6g.large'],
    ]);
  });

  test('and have as many fabric adapters, if pods ask for some', async () => {
    const efa = (name: string, count: number) => instanceType(name, 737, { 'vpc.amazonaws.com/efa': count });
    const types = [efa('p4d.24xlarge', 4), efa('c5n.18xlarge', 1)];
    expect(await groups({ types })).toHaveLength(1);
    const claim = { spec: { resources: { requests: { 'vpc.amazonaws.com/efa': '1' } } } };
    expect(await groups({ types, claim })).toHaveLength(2);
  });

  test('and reserve as much, as expressions have it', async () => {
    const expressions = await loadExpressions();
    const kubelet = { kubeReserved: { cpu: 'vcpus * 10', memory: '100Mi' }, systemReserved: { cpu: 'vcpus' } };
    const types = ['m5.large', 'c5.large', 'm5.xlarge'].map((name) => instanceType(name, 29));
    const { ensure, aws } = await world({ expressions });
    const made = await ensure({ types, spec: { kubelet } });
    expect(made.map(({ instanceTypes }) => instanceTypes.map(({ name }) => name))).toEqual([
      ['m5.large', 'c5.large'],
      ['m5.xlarge'],
    ]);
    const texts = made.map(({ name }) => userDataOf(aws.cloud.launchTemplates.get(name)?.data ?? {}));
    expect(texts[0]).toContain('kubeReserved:\n        cpu: 20m\n        memory: 100Mi\n');
    expect(texts[1]).toContain('kubeReserved:\n        cpu: 40m\n        memory: 100Mi\n');
    expect(texts[1]).toContain('systemReserved:\n        cpu: 10m\n');
  });

  test('expressions count for nothing while the feature gate is off', async () => {
    const kubelet = {
      maxPods: 'vcpus',
      kubeReserved: { cpu: 'vcpus * 10' },
      systemReserved: { cpu: '10m', memory: 'vcpus' },
    };
    const { content } = await world();
    const text = userDataOf(await content({ spec: { kubelet } }));
    expect(text).toContain('    config:\n      maxPods: 29\n      registerWithTaints:');
    expect(text).toContain('systemReserved:\n        cpu: 10m\n    flags');
  });
});

describe('16: a class is refused', () => {
  test.each([
    [{ securityGroups: [] }, 'no security groups are present in the status'],
    [{ amis: [] }, 'no amis exist given constraints'],
    [
      { amis: ['ami-1', 'ami-2', 'ami-1'].map((id) => ({ id, requirements: [amd64] })) },
      'no instance types satisfy requirements of amis [ami-1 ami-2]',
    ],
  ])('with the status %j', async (status, message) => {
    const { ensure } = await world();
    await expect(ensure({ status })).rejects.toThrow(message);
  });

  test('when its own user data is broken', async () => {
    const { ensure, names } = await world();
    await expect(ensure({ spec: { userData: 'MIME-Version: 1.0\n\n' } })).rejects.toThrow(
      'creating launch template, parsing custom UserData, mime: no media type',
    );
    expect(names()).toEqual([]);
  });
});

describe('7.1: the addresses of services', () => {
  test('are asked of EKS until they are found', async () => {
    const { templates, ensure, aws } = launchTemplateWorld();
    const error: unknown = await ensure().catch((thrown: unknown) => thrown);
    expect(causeOf(error, NodeClassNotReadyError)).toBeDefined();
    aws.calls.fail('describeCluster', awsError('ServerException', 'later', 500), 1);
    await expect(templates.resolveClusterCIDR()).rejects.toThrow('later');
    await templates.resolveClusterCIDR();
    await templates.resolveClusterCIDR();
    expect(aws.calls.inputs('describeCluster')).toHaveLength(2);
    expect(await ensure()).toHaveLength(1);
  });

  test.each([
    [{ serviceIpv6Cidr: 'fd30::/108' }, 'cidr: fd30::/108'],
    [{ serviceIpv4Cidr: '10.0.0.0/16', serviceIpv6Cidr: 'fd30::/108' }, 'cidr: 10.0.0.0/16'],
  ])('are those of IPv4 if there are any: %j', async (kubernetesNetworkConfig, text) => {
    const { aws, content } = launchTemplateWorld();
    aws.cloud.cluster = { ...aws.cloud.cluster, kubernetesNetworkConfig };
    expect(userDataOf(await content())).toContain(text);
  });

  test('may be unknown to EKS too', async () => {
    const { aws, templates } = launchTemplateWorld();
    aws.cloud.cluster = { ...aws.cloud.cluster, kubernetesNetworkConfig: undefined };
    await expect(templates.resolveClusterCIDR()).rejects.toThrow('no CIDR found in DescribeCluster response');
  });
});

describe('16: the name of a template', () => {
  test('is upstream’s prefix and a number, and says the content', async () => {
    const { ensure } = await world();
    const name = async (launch: Launch = {}) => (await ensure(launch))[0]?.name;
    const first = await name();
    expect(first).toMatch(/^karpenter\.k8s\.aws\/\d{1,20}$/);
    const status = { securityGroups: [{ id: 'sg-2' }, { id: 'sg-1' }] };
    expect(await name({ status })).toBe(first);
    expect(await name({ types: [instanceType('c5.large')] })).toBe(first);
    expect(await name({ claim: { metadata: { labels: { team: 'a' } } } })).not.toBe(first);
    expect(await name({ capacityType: 'spot' })).not.toBe(first);
    expect(await name({ spec: { detailedMonitoring: true } })).not.toBe(first);
  });

  test('of a custom image does not depend on labels, which nodes are not told', async () => {
    const { ensure } = await world();
    const custom = (team: string): Launch => ({
      spec: { amiFamily: 'Custom', userData: 'x' },
      claim: { metadata: { labels: { team } } },
    });
    const [[a], [b]] = [await ensure(custom('a')), await ensure(custom('b'))];
    expect(a?.name).toBe(b?.name);
  });
});

describe('16: a template', () => {
  test('is made once, and deleted one to two minutes after its last use', async () => {
    const { ensure, names, clock, aws, messages } = await world();
    await Promise.all([ensure(), ensure()]);
    expect(aws.calls.inputs('createLaunchTemplate')).toHaveLength(1);
    for (let i = 0; i < 5; i++) {
      await clock.advance(50_000);
      await ensure();
    }
    await clock.advance(MINUTE_MS - 10_000);
    expect(names()).toHaveLength(1);
    await clock.advance(MINUTE_MS);
    expect(names()).toEqual([]);
    expect(aws.calls.inputs('createLaunchTemplate')).toHaveLength(1);
    expect(aws.calls.inputs('deleteLaunchTemplate')).toEqual([{ LaunchTemplateId: expect.stringMatching(/^lt-/) }]);
    expect(messages()).toContain('deleted launch template');
  });

  test('that is used again while its deletion waits stays', async () => {
    const { ensure, names, clock, aws } = await world();
    await ensure();
    // Begins just when the template expires, and takes longer than the deletion would.
    await clock.advance(MINUTE_MS - 1);
    aws.cloud.durations.call = 10_000;
    const used = ensure({ types: [instanceType('other', 58), instanceType()] });
    await clock.advance(MINUTE_MS / 2);
    await used;
    // Longer than a deletion takes that has begun already, and shorter than the templates live.
    await clock.advance(20_000);
    expect(names()).toHaveLength(2);
    expect(aws.calls.inputs('deleteLaunchTemplate')).toEqual([]);
  });

  test('whose deletion fails is logged, and deleted later, unless it has been used again', async () => {
    const { ensure, clock, aws, messages, names } = await world();
    const deletions = () => aws.calls.inputs('deleteLaunchTemplate').length;
    await ensure();
    aws.calls.fail('deleteLaunchTemplate', awsError('InternalError', 'no', 500));
    await clock.advance(1.5 * MINUTE_MS);
    expect(messages()).toContain('failed to delete launch template');
    expect([names().length, deletions()]).toEqual([1, 1]);
    // After 1, 2, 4, 8 and 16 minutes.
    await clock.advance(32 * MINUTE_MS);
    expect([names().length, deletions()]).toEqual([1, 6]);
    aws.calls.succeed('deleteLaunchTemplate');
    expect(await ensure()).toHaveLength(1);
    expect(aws.calls.inputs('createLaunchTemplate')).toHaveLength(1);
    await clock.advance(2 * MINUTE_MS);
    expect([names().length, deletions()]).toEqual([0, 7]);
    // The last try of the first time finds that it is gone.
    await clock.advance(120 * MINUTE_MS);
    expect(deletions()).toBe(8);
  });

  test('that EC2 has already is taken as it is', async () => {
    const first = await world();
    const [made] = await first.ensure();
    const second = await world();
    const template = first.aws.cloud.launchTemplates.get(made?.name ?? '');
    if (template) second.aws.cloud.launchTemplates.set(made?.name ?? '', template);
    expect(await second.ensure()).toMatchObject([{ name: made?.name }]);
    expect(second.aws.calls.inputs('createLaunchTemplate')).toEqual([]);
    expect(second.messages()).toContain('discovered launch template');
  });

  test('that EC2 does not know any more is made again, without a deletion', async () => {
    const { ensure, templates, aws } = await world();
    const [made] = await ensure();
    aws.cloud.launchTemplates.clear();
    templates.invalidate(made?.name ?? '');
    await ensure();
    expect(aws.calls.inputs('createLaunchTemplate')).toHaveLength(2);
    expect(aws.calls.inputs('deleteLaunchTemplate')).toEqual([]);
  });

  test.each([
    ['describeLaunchTemplates', 'describing launch templates, no'],
    ['createLaunchTemplate', 'creating launch template, no'],
  ])('that %s refuses is an error, and the next launch tries again', async (call, message) => {
    const { ensure, aws } = await world();
    aws.calls.fail(call, awsError('InternalError', 'no', 500), 1);
    await expect(ensure()).rejects.toThrow(message);
    expect(await ensure()).toHaveLength(1);
  });
});

describe('16: templates of an earlier process', () => {
  const tagged = (cluster: string) => [
    { ResourceType: 'launch-template' as const, Tags: [{ Key: 'eks:eks-cluster-name', Value: cluster }] },
  ];

  test('are taken up after the election, and deleted when nobody uses them', async () => {
    const { templates, aws, names, clock, lines } = await world();
    for (let i = 0; i < 3; i++) {
      await aws.apis.ec2.createLaunchTemplate({
        LaunchTemplateName: `old-${i}`,
        LaunchTemplateData: {},
        TagSpecifications: tagged('test-cluster'),
      });
    }
    await aws.apis.ec2.createLaunchTemplate({
      LaunchTemplateName: 'other',
      LaunchTemplateData: {},
      TagSpecifications: tagged('another'),
    });
    aws.cloud.pageLimit = 2;
    await templates.hydrate();
    expect(lines.at(-1)).toEqual([
      'hydrated launch template cache',
      { 'tag-key': 'eks:eks-cluster-name', 'tag-value': 'test-cluster', count: 3 },
    ]);
    expect(aws.calls.inputs('describeLaunchTemplates')[0]).toMatchObject({ MaxResults: 200 });
    await clock.advance(2 * MINUTE_MS);
    expect(names()).toEqual(['other']);
  });

  test('stay until EC2 tells them', async () => {
    const { templates, aws, messages, clock, names } = await world();
    await aws.apis.ec2.createLaunchTemplate({
      LaunchTemplateName: 'old',
      LaunchTemplateData: {},
      TagSpecifications: tagged('test-cluster'),
    });
    aws.calls.fail('describeLaunchTemplates', awsError('InternalError', 'no', 500), 1);
    await templates.hydrate();
    expect(messages()).toContain('unable to hydrate the AWS launch template cache');
    await clock.advance(4 * MINUTE_MS);
    expect(names()).toEqual([]);
  });
});

describe('16: when a class goes', () => {
  const nodeClass = ec2NodeClass({ metadata: { name: 'default' } });

  test('its templates go, and what is told of its user data', async () => {
    const { templates, ensure, names, userDataSizes, lines, clock, messages, aws } = await world();
    await ensure({ types: [instanceType('a', 1), instanceType('b', 2)] });
    expect(userDataSizes()).toEqual([{ labels: { nodeclass: 'default' }, value: expect.any(Number) }]);
    const made = names();
    await templates.deleteAll(nodeClass);
    expect(names()).toEqual([]);
    expect(aws.calls.inputs('describeLaunchTemplates').at(-1)).toEqual({
      Filters: [
        { Name: 'tag:eks:eks-cluster-name', Values: ['test-cluster'] },
        { Name: 'tag:karpenter.k8s.aws/ec2nodeclass', Values: ['default'] },
      ],
      MaxResults: 200,
    });
    expect(aws.calls.inputs('deleteLaunchTemplate')).toEqual(made.map((name) => ({ LaunchTemplateName: name })));
    expect(userDataSizes()).toEqual([]);
    expect(lines.at(-1)).toEqual(['deleted launch templates', { launchTemplates: made.join(', ') }]);
    await clock.advance(2 * MINUTE_MS);
    expect(messages()).not.toContain('failed to delete launch template');
  });

  test('those of others stay', async () => {
    const { templates, ensure, names } = await world();
    await ensure();
    await templates.deleteAll(ec2NodeClass({ metadata: { name: 'other' } }));
    expect(names()).toHaveLength(1);
  });

  test('all are tried though one can’t be deleted', async () => {
    const { templates, ensure, names, aws } = await world();
    await ensure({ types: [instanceType('a', 1), instanceType('b', 2)] });
    aws.calls.fail('deleteLaunchTemplate', awsError('InternalError', 'no', 500), 1);
    await expect(templates.deleteAll(nodeClass)).rejects.toThrow('deleting launch templates, no');
    expect(names()).toHaveLength(1);
  });
});

describe('10: the size of user data', () => {
  const custom = (bytes: number): Launch => ({ spec: { amiFamily: 'Custom', userData: 'x'.repeat(bytes) } });
  const WARNING = 'rendered user data is approaching the EC2 user data size limit';

  test('is told, and logged from nine tenths of the limit on', async () => {
    const { ensure, userDataSizes, lines, messages } = await world();
    await ensure(custom(14_744));
    expect(userDataSizes()).toEqual([{ labels: { nodeclass: 'default' }, value: 14_744 }]);
    expect(messages()).not.toContain(WARNING);
    await ensure(custom(14_745));
    expect(lines).toContainEqual([
      WARNING,
      expect.objectContaining({ 'userdata-bytes': 14_745, 'warn-threshold': 14_745, limit: 16_384 }),
    ]);
  });

  test('is for EC2 to judge, and told though EC2 refuses it', async () => {
    const { ensure, userDataSizes } = await world();
    await expect(ensure(custom(16_385))).rejects.toThrow('creating launch template, User data is limited to');
    expect(userDataSizes()).toMatchObject([{ value: 16_385 }]);
  });
});

test('10: what is unknown in the user data of a class is logged once for each template', async () => {
  const { ensure, messages } = await world();
  const launch: Launch = { spec: { amiFamily: 'Bottlerocket', userData: '[settings.kubernetes]\nx = 1\n' } };
  await ensure(launch);
  await ensure(launch);
  expect(messages().filter((message) => message.startsWith('Unknown parameter'))).toHaveLength(1);
});
