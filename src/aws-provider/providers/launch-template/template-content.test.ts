import { describe, expect, test } from 'vitest';
import {
  instanceType,
  type Launch,
  launchTemplateWorld,
  TAGS,
  userDataOf,
} from '../../../../test/aws/launch-template-world.ts';
import { LABEL_CAPACITY_TYPE } from '../../../apis/labels.ts';
import type { Offering } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { EC2NodeClassSpec } from '../../apis/ec2-node-class.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_PLACEMENT_GROUP_PARTITION,
} from '../../apis/labels.ts';

const IPV6 = { kubeDNSIP: 'fd30::a' };
const Groups = ['sg-1', 'sg-2'];
const Tags = Object.entries(TAGS).map(([Key, Value]) => ({ Key, Value }));

const content = (launch: Launch = {}, deps = {}) => launchTemplateWorld(deps).content(launch);
const ofSpec = (spec: Partial<EC2NodeClassSpec>, deps = {}) => content({ spec }, deps);

test('16: a template says all that a plain class asks for', async () => {
  const { UserData, ...others } = await content();
  expect(Buffer.from(UserData ?? '', 'base64').toString()).toMatch(/^MIME-Version: 1\.0\n/);
  expect(others).toEqual({
    BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeSize: 20, VolumeType: 'gp3' } }],
    IamInstanceProfile: { Name: 'profile' },
    Monitoring: { Enabled: false },
    ImageId: 'ami-1',
    MetadataOptions: {
      HttpEndpoint: 'disabled',
      HttpProtocolIpv6: 'disabled',
      HttpPutResponseHopLimit: 2,
      HttpTokens: 'required',
      InstanceMetadataTags: 'disabled',
    },
    NetworkInterfaces: [{ DeviceIndex: 0, Groups }],
    TagSpecifications: [{ ResourceType: 'network-interface', Tags }],
    Placement: { Tenancy: 'default' },
    EnclaveOptions: { Enabled: false },
    CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
  });
});

test('16: the template itself is tagged, and so are requests for spot instances', async () => {
  const { aws, content } = launchTemplateWorld();
  expect((await content({ capacityType: 'spot' })).TagSpecifications).toEqual([
    { ResourceType: 'network-interface', Tags },
    { ResourceType: 'spot-instances-request', Tags },
  ]);
  expect(aws.calls.inputs('createLaunchTemplate')).toMatchObject([
    { TagSpecifications: [{ ResourceType: 'launch-template', Tags }] },
  ]);
});

test('16: settings of the class are passed on', async () => {
  const spec = { detailedMonitoring: true, cpuOptions: { nestedVirtualization: 'enabled' } };
  expect(await ofSpec(spec)).toMatchObject({
    Monitoring: { Enabled: true },
    CpuOptions: { NestedVirtualization: 'enabled' },
  });
});

describe('16: volumes', () => {
  test('are those of the class, in whole GiB', async () => {
    const ebs = {
      deleteOnTermination: true,
      encrypted: true,
      kmsKeyID: 'key',
      snapshotID: 'snap-1',
      volumeInitializationRate: 100,
      volumeSize: '50G',
      volumeType: 'io2',
      iops: 1000,
      throughput: 0,
    };
    const { BlockDeviceMappings } = await ofSpec({ blockDeviceMappings: [{ deviceName: '/dev/sdx', ebs }] });
    expect(BlockDeviceMappings).toEqual([
      {
        DeviceName: '/dev/sdx',
        Ebs: {
          DeleteOnTermination: true,
          Encrypted: true,
          KmsKeyId: 'key',
          SnapshotId: 'snap-1',
          VolumeInitializationRate: 100,
          VolumeSize: 47,
          VolumeType: 'io2',
          Iops: 1000,
        },
      },
    ]);
  });

  test.each([
    ['1Gi', 1],
    ['1073741825', 2],
    ['58Ti', 59_392],
    ['64T', 59_605],
  ])('of %s are of %i GiB', async (volumeSize, size) => {
    const { BlockDeviceMappings } = await ofSpec({ blockDeviceMappings: [{ ebs: { volumeSize } }] });
    expect(BlockDeviceMappings?.[0]?.Ebs?.VolumeSize).toBe(size);
  });

  test('are two for Bottlerocket, and those of the image for custom ones', async () => {
    const sizes = async (amiFamily: 'Bottlerocket' | 'Custom') =>
      (await ofSpec({ amiFamily })).BlockDeviceMappings?.map(({ DeviceName, Ebs }) => [DeviceName, Ebs?.VolumeSize]);
    expect(await sizes('Bottlerocket')).toEqual([
      ['/dev/xvda', 4],
      ['/dev/xvdb', 20],
    ]);
    expect(await sizes('Custom')).toBeUndefined();
  });
});

describe('16: metadata options', () => {
  const metadataOptions = {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'enabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'optional',
  };

  test('are those of the class', async () => {
    expect((await ofSpec({ metadataOptions })).MetadataOptions).toEqual({
      HttpEndpoint: 'enabled',
      HttpProtocolIpv6: 'enabled',
      HttpPutResponseHopLimit: 1,
      HttpTokens: 'optional',
      InstanceMetadataTags: 'disabled',
    });
  });

  test.each<readonly [string, string | undefined]>([
    ...['us-iso-east-1', 'us-iso-west-1', 'us-isob-east-1', 'us-isob-west-1', 'us-isof-south-1', 'us-isof-east-1'].map(
      (region) => [region, undefined] as const,
    ),
    ['us-gov-west-1', 'enabled'],
  ])('say nothing of IPv6 where there is none: %s', async (region, HttpProtocolIpv6) => {
    const { MetadataOptions } = await ofSpec({ metadataOptions }, { region });
    expect(MetadataOptions).toMatchObject({ HttpEndpoint: 'enabled', HttpProtocolIpv6 });
  });

  test('are open for IPv6 in such a cluster', async () => {
    expect((await content({}, IPV6)).MetadataOptions?.HttpProtocolIpv6).toBe('enabled');
  });
});

describe('16: network interfaces', () => {
  const settings = {
    associatePublicIPAddress: false,
    ipPrefixCount: 3,
    connectionTracking: { tcpEstablishedTimeout: 100, udpTimeout: 30 },
  };
  const passedOn = {
    Groups,
    AssociatePublicIpAddress: false,
    ConnectionTrackingSpecification: { TcpEstablishedTimeout: 100, UdpTimeout: 30 },
  };
  const EFA = 'vpc.amazonaws.com/efa';

  test('one, with addresses and prefixes as the class says', async () => {
    expect((await ofSpec(settings)).NetworkInterfaces).toEqual([{ DeviceIndex: 0, ...passedOn, Ipv4PrefixCount: 3 }]);
  });

  test('with an address of IPv6 in such a cluster', async () => {
    expect((await ofSpec(settings, IPV6)).NetworkInterfaces).toEqual([
      { DeviceIndex: 0, ...passedOn, Ipv6PrefixCount: 3, PrimaryIpv6: true, Ipv6AddressCount: 1 },
    ]);
  });

  test('one for each fabric adapter of the type, when pods ask for such', async () => {
    const types = [instanceType('p4d.24xlarge', 737, { [EFA]: 2 })];
    const claim = { spec: { resources: { requests: { [EFA]: '1' } } } };
    expect((await content({ spec: settings, types, claim })).NetworkInterfaces).toEqual([
      { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: 'efa', ...passedOn, Ipv4PrefixCount: 3 },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa', ...passedOn, Ipv4PrefixCount: 3 },
    ]);
    expect((await content({ types })).NetworkInterfaces).toEqual([{ DeviceIndex: 0, Groups }]);
  });

  test('those that the class lists; what carries no IP gets no addresses', async () => {
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
    ] as const;
    expect((await ofSpec({ ...settings, networkInterfaces }, IPV6)).NetworkInterfaces).toEqual([
      {
        NetworkCardIndex: 0,
        DeviceIndex: 0,
        InterfaceType: 'interface',
        ...passedOn,
        Ipv6PrefixCount: 3,
        PrimaryIpv6: true,
        Ipv6AddressCount: 1,
      },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', Groups },
    ]);
  });

  test('without timeouts when the class names none', async () => {
    const [single] = (await ofSpec({ connectionTracking: {} })).NetworkInterfaces ?? [];
    expect(single?.ConnectionTrackingSpecification).toBeUndefined();
  });
});

describe('16: reservations', () => {
  const offering = (id: string, type = 'default', interruptible = 'false'): Offering => ({
    requirements: Requirements.fromLabels({
      [LABEL_CAPACITY_TYPE]: 'reserved',
      [LABEL_CAPACITY_RESERVATION_ID]: id,
      [LABEL_CAPACITY_RESERVATION_TYPE]: type,
      [LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE]: interruptible,
    }),
    price: 0,
    available: true,
  });
  const reserved = (...offerings: Offering[]): Launch => ({
    capacityType: 'reserved',
    types: [instanceType('m5.large', 29, {}, offerings)],
  });

  test.each([
    ['default', 'false', undefined],
    ['capacity-block', 'false', { MarketType: 'capacity-block' }],
    ['default', 'true', { MarketType: 'interruptible-capacity-reservation' }],
  ])('of type %s, interruptible %s', async (type, interruptible, market) => {
    const { CapacityReservationSpecification, InstanceMarketOptions } = await content(
      reserved(offering('cr-1', type, interruptible)),
    );
    expect(CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    });
    expect(InstanceMarketOptions).toEqual(market);
  });

  test('have a template each', async () => {
    const { ensure, templates } = launchTemplateWorld();
    await templates.resolveClusterCIDR();
    const made = await ensure(reserved(offering('cr-1'), offering('cr-2')));
    expect(made.map(({ capacityReservationID }) => capacityReservationID)).toEqual(['cr-1', 'cr-2']);
    expect(new Set(made.map(({ name }) => name)).size).toBe(2);
  });

  test('are not spoken of while the feature gate is off', async () => {
    const data = await content({}, { reservedCapacity: false });
    expect(data.CapacityReservationSpecification).toBeUndefined();
  });
});

describe('16: placement', () => {
  const group = { id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 3 } as const;
  const claim = (operator: 'In' | 'NotIn', values: readonly string[]): Launch => ({
    claim: { spec: { requirements: [{ key: LABEL_PLACEMENT_GROUP_PARTITION, operator, values }] } },
  });

  test.each([
    ['the first of the partitions that the claim names', claim('In', ['3', '2']), 2],
    ['any partition when it names none', {}, undefined],
    ['the first that it does not exclude', claim('NotIn', ['1']), 2],
  ])('in the class’s group: %s', async (_, launch, PartitionNumber) => {
    const { Placement } = await content(launch, { placementGroup: group });
    expect(Placement).toEqual({ Tenancy: 'default', GroupId: 'pg-1', PartitionNumber });
  });

  test('groups of other kinds have no partitions', async () => {
    const { Placement } = await content(claim('In', ['1']), { placementGroup: { ...group, strategy: 'cluster' } });
    expect(Placement).toEqual({ Tenancy: 'default', GroupId: 'pg-1' });
  });
});

test.each(['eks.amazonaws.com/nitro-sandbox', 'eks.amazonaws.com/nip-slots'])(
  '16: pods that ask for %s get enclaves',
  async (resource) => {
    const claim = { spec: { resources: { requests: { [resource]: '1' } } } };
    expect((await content({ claim })).EnclaveOptions).toEqual({ Enabled: true });
  },
);

describe('10: a node is told', () => {
  const text = async (launch: Launch, deps = {}) => userDataOf(await content(launch, deps));

  test('its labels, but for those of Kubernetes', async () => {
    const labels = {
      'karpenter.sh/nodepool': 'default',
      'kubernetes.io/arch': 'amd64',
      'node-restriction.kubernetes.io/team': 'a',
      'own.k8s.io/x': 'y',
      'notk8s.io/kept': 'x',
      'karpenter.k8s.aws/instance-cpu': '2',
      plain: 'z',
    };
    const launch = { claim: { metadata: { labels } }, capacityType: 'spot' };
    expect(/--node-labels="(.*)"/.exec(await text(launch))?.[1]?.split(',')).toEqual([
      'karpenter.k8s.aws/instance-cpu=2',
      'karpenter.sh/capacity-type=spot',
      'karpenter.sh/do-not-sync-taints=true',
      'karpenter.sh/nodepool=default',
      'notk8s.io/kept=x',
      'plain=z',
    ]);
  });

  test('its taints, and that it is not registered yet', async () => {
    const taint = (key: string) => ({ key, effect: 'NoSchedule' }) as const;
    const flags = async (startupTaints: object[]) =>
      /register-with-taints="(.*?)"/.exec(
        await text({
          spec: { amiFamily: 'AL2' },
          claim: { spec: { taints: [taint('a')], startupTaints: startupTaints as never } },
        }),
      )?.[1];
    expect(await flags([taint('b')])).toBe('a:NoSchedule,b:NoSchedule,karpenter.sh/unregistered:NoExecute');
    const own = { key: 'karpenter.sh/unregistered', effect: 'NoExecute', value: 'x' };
    expect(await flags([own])).toBe('a:NoSchedule,karpenter.sh/unregistered=x:NoExecute');
  });

  test('how many pods it has room for, and where DNS answers, unless the class says so', async () => {
    const kubeDNSIP = '10.100.0.10';
    expect(await text({}, { kubeDNSIP })).toContain('      clusterDNS:\n      - 10.100.0.10\n      maxPods: 29\n');
    const kubelet = { maxPods: 7, clusterDNS: ['10.0.0.1'], failSwapOn: false };
    expect(await text({ spec: { kubelet } }, { kubeDNSIP })).toContain(
      '      clusterDNS:\n      - 10.0.0.1\n      failSwapOn: false\n      maxPods: 7\n',
    );
  });

  test('that Bottlerocket binds directories by itself, from the release of its image', async () => {
    const launch = (alias: string): Launch => ({
      spec: { amiSelectorTerms: [{ alias }], instanceStorePolicy: 'RAID0' },
    });
    expect(await text(launch('bottlerocket@latest'))).not.toContain('--dirs');
    expect(await text(launch('bottlerocket@1.30.0'))).toContain('--dirs');
  });
});
