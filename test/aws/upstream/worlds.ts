import type { World } from './world.ts';

const ARCH = 'kubernetes.io/arch';
const OS = 'kubernetes.io/os';
const ZONE = 'topology.kubernetes.io/zone';
const TYPE = 'node.kubernetes.io/instance-type';
const CAPACITY = 'karpenter.sh/capacity-type';
const aws = (name: string): string => `karpenter.k8s.aws/${name}`;

const requirement =
  (operator: 'In' | 'NotIn' | 'Gt' | 'Lt' | 'Exists') =>
  (key: string, ...values: readonly string[]) => ({ key, operator, ...(values.length > 0 ? { values } : {}) });
const within = requirement('In');
const without = requirement('NotIn');
const above = requirement('Gt');
const below = requirement('Lt');
const exists = requirement('Exists');

type Claim = World['claim'];
const requests = (cpu: string, memory: string, more: Readonly<Record<string, string>> = {}): Claim['resources'] => ({
  requests: { cpu, memory, pods: '5', ...more },
});

const claim = (requirements: Claim['requirements'], resources = requests('3', '6Gi')): Claim => ({
  requirements,
  resources,
});

const world = (name: string, spec: Claim, nodeClass: World['nodeClass'] = {}): World => ({
  name,
  claim: spec,
  nodeClass,
});

const last = (name: string, spec: Claim): World => ({ ...world(name, spec), last: true });

const linux = within(OS, 'linux');
const amd64 = within(ARCH, 'amd64');
const arm64 = within(ARCH, 'arm64');
const spot = within(CAPACITY, 'spot');
const onDemand = within(CAPACITY, 'on-demand');
const reserved = within(CAPACITY, 'reserved');
const m5 = within(aws('instance-family'), 'm5', 'm6i');
const plain = claim([linux, amd64, onDemand, m5]);
const windows = claim([within(OS, 'windows'), amd64, onDemand, m5], requests('3', '6Gi'));
const gpu = claim([linux, amd64, onDemand], requests('4', '8Gi', { 'nvidia.com/gpu': '1' }));

const custom = (id: string, more: World['nodeClass'] = {}): World['nodeClass'] => ({
  amiFamily: 'Custom',
  amiSelectorTerms: [{ id }],
  ...more,
});

const MIME = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="BOUNDARY"',
  '',
  '--BOUNDARY',
  'Content-Type: text/x-shellscript; charset="us-ascii"',
  '',
  '#!/bin/bash',
  'echo hello',
  '--BOUNDARY--',
  '',
].join('\n');
const NODE_CONFIG =
  'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config:\n      maxPods: 42\n';
const volume = (deviceName: string, size: string, more: object = {}) => ({
  deviceName,
  ebs: { volumeSize: size, volumeType: 'gp3', encrypted: true, deleteOnTermination: true, ...more },
});

/** What to ask for: each world is about one thing that users set. */
export const WORLDS: readonly World[] = [
  world('any', claim([])),
  world('any-spot', claim([spot])),
  world('any-on-demand', claim([onDemand], requests('1', '1Gi'))),
  world('both-capacities', claim([within(CAPACITY, 'spot', 'on-demand'), amd64])),
  world('arm', claim([linux, arm64, onDemand])),
  world('arm-spot', claim([linux, arm64, spot], requests('7', '30Gi'))),
  world('both-arches', claim([linux, within(ARCH, 'amd64', 'arm64'), spot], requests('10', '16Gi'))),
  world('one-zone', claim([amd64, spot, within(ZONE, 'us-west-2b')])),
  world('two-zones', claim([amd64, onDemand, within(ZONE, 'us-west-2a', 'us-west-2c')])),
  world('not-a-zone', claim([amd64, onDemand, without(ZONE, 'us-west-2a')])),
  world('zone-id', claim([amd64, onDemand, within('topology.k8s.aws/zone-id', 'usw2-az1')])),
  world('no-such-zone', claim([amd64, within(ZONE, 'us-west-2z')])),
  world('listed-types', claim([within(TYPE, 'm5.large', 'm5.xlarge', 'c5.2xlarge', 'r5.xlarge'), onDemand])),
  world('one-type', claim([within(TYPE, 'c6i.2xlarge'), spot])),
  world('no-such-type', claim([within(TYPE, 'z9.huge')])),
  world('category', claim([within(aws('instance-category'), 'c', 'm'), above(aws('instance-generation'), '4'), spot])),
  world('cpu-range', claim([above(aws('instance-cpu'), '7'), below(aws('instance-cpu'), '17'), onDemand])),
  world('memory-range', claim([above(aws('instance-memory'), '65535'), below(aws('instance-memory'), '131073'), spot])),
  world(
    'size',
    claim([without(aws('instance-size'), 'metal', 'large', 'xlarge'), within(aws('instance-family'), 'c7i')]),
  ),
  world('nitro', claim([within(aws('instance-hypervisor'), 'nitro'), amd64, onDemand])),
  world('local-nvme', claim([above(aws('instance-local-nvme'), '400'), amd64, onDemand]), {
    instanceStorePolicy: 'RAID0',
  }),
  world('amd-cpu', claim([within(aws('instance-cpu-manufacturer'), 'amd'), spot])),
  world('bandwidth', claim([above(aws('instance-network-bandwidth'), '24999'), amd64, onDemand])),
  world('min-families', claim([{ ...exists(aws('instance-family')), minValues: 12 }, amd64, spot])),
  world('min-types', claim([{ ...exists(TYPE), minValues: 40 }, amd64, onDemand])),
  world(
    'min-too-many',
    claim([{ ...within(TYPE, 'm5.large', 'm5.xlarge'), minValues: 2 }, onDemand], requests('3', '6Gi')),
  ),
  world('large', claim([amd64, onDemand], requests('60', '200Gi'))),
  world('too-large', claim([amd64, onDemand], requests('6000', '1Gi'))),
  world('storage', claim([amd64, onDemand, m5], requests('1', '1Gi', { 'ephemeral-storage': '40Gi' })), {
    blockDeviceMappings: [volume('/dev/xvda', '100Gi')],
  }),
  world('gpu', gpu),
  world('gpu-name', claim([exists(aws('instance-gpu-name')), within(aws('instance-gpu-count'), '1'), amd64, onDemand])),
  world('neuron', claim([amd64, onDemand], requests('2', '4Gi', { 'aws.amazon.com/neuron': '1' }))),
  world('efa', claim([amd64, onDemand], requests('8', '16Gi', { 'vpc.amazonaws.com/efa': '1' }))),
  world('pod-eni', claim([amd64, onDemand], requests('2', '4Gi', { 'vpc.amazonaws.com/pod-eni': '1' }))),
  world('tenancy-dedicated', claim([within(aws('instance-tenancy'), 'dedicated'), amd64, onDemand, m5])),
  world('tenancy-default', claim([within(aws('instance-tenancy'), 'default'), amd64, onDemand, m5])),
  world('al2', plain, { amiSelectorTerms: [{ alias: 'al2@latest' }] }),
  world('al2-pinned', plain, { amiSelectorTerms: [{ alias: 'al2@v20240807' }] }),
  world('al2-gpu', gpu, { amiSelectorTerms: [{ alias: 'al2@latest' }] }),
  world('al2023-pinned', plain, { amiSelectorTerms: [{ alias: 'al2023@v20240807' }] }),
  world('al2023-arm', claim([linux, arm64, onDemand, within(aws('instance-family'), 'm7g')]), {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
  }),
  world('bottlerocket', plain, { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }),
  world('bottlerocket-gpu', gpu, { amiSelectorTerms: [{ alias: 'bottlerocket@v1.20.0' }] }),
  world('bottlerocket-data', plain, {
    amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
    userData:
      '[settings.kernel.sysctl]\n"vm.max_map_count" = "262144"\n[settings.kubernetes]\n"cluster-name" = "mine"\n',
  }),
  world('windows-2022', windows, { amiSelectorTerms: [{ alias: 'windows2022@latest' }] }),
  world('windows-2019', windows, {
    amiSelectorTerms: [{ alias: 'windows2019@latest' }],
    userData: 'Write-Host "hello"',
  }),
  world('windows-2025', windows, { amiSelectorTerms: [{ alias: 'windows2025@latest' }] }),
  world('custom', plain, custom('ami-0000000000000c001', { userData: '#!/bin/sh\necho mine\n' })),
  { ...world('custom-wrong-arch', plain, custom('ami-0000000000000c003')), stays: true },
  world('custom-no-ami', plain, custom('ami-0123456789abcdef0')),
  world('ami-by-tag', plain, { amiFamily: 'AL2023', amiSelectorTerms: [{ tags: { team: 'a' } }] }),
  world('ami-by-name', plain, { amiFamily: 'AL2', amiSelectorTerms: [{ name: 'golden-*', owner: 'self' }] }),
  world('ami-by-parameter', plain, {
    amiFamily: 'AL2023',
    amiSelectorTerms: [
      { ssmParameter: '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id' },
    ],
  }),
  world('data-shell', plain, { userData: '#!/bin/bash\necho hello\n' }),
  world('data-mime', plain, { userData: MIME }),
  world('data-node-config', plain, { userData: NODE_CONFIG }),
  world('data-al2-mime', plain, { amiSelectorTerms: [{ alias: 'al2@latest' }], userData: MIME }),
  world('data-too-long', plain, { userData: `#!/bin/bash\n# ${'x'.repeat(17_000)}\n` }),
  world('kubelet', plain, {
    kubelet: {
      maxPods: 40,
      podsPerCore: 8,
      systemReserved: { cpu: '200m', memory: '300Mi' },
      kubeReserved: { cpu: '100m', memory: '200Mi' },
      evictionHard: { 'memory.available': '5%', 'nodefs.available': '10%' },
      evictionSoft: { 'memory.available': '8%' },
      evictionSoftGracePeriod: { 'memory.available': '1m0s' },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      cpuCFSQuota: true,
      clusterDNS: ['10.0.1.100'],
    },
  }),
  world('kubelet-al2', plain, {
    amiSelectorTerms: [{ alias: 'al2@latest' }],
    kubelet: { maxPods: 20, clusterDNS: ['10.0.1.100'], evictionHard: { 'memory.available': '5%' } },
  }),
  world('kubelet-bottlerocket', plain, {
    amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
    kubelet: { maxPods: 20, kubeReserved: { cpu: '100m' }, evictionHard: { 'memory.available': '5%' } },
  }),
  world('volumes', plain, {
    blockDeviceMappings: [
      { ...volume('/dev/xvda', '50Gi', { iops: 4000, throughput: 200 }), rootVolume: true },
      volume('/dev/xvdb', '1Ti', { volumeType: 'io2', iops: 10_000 }),
      { deviceName: '/dev/xvdc', ebs: { snapshotID: 'snap-0123456789abcdef0', volumeInitializationRate: 200 } },
    ],
  }),
  world('metadata', plain, {
    metadataOptions: {
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'enabled',
      httpPutResponseHopLimit: 2,
      httpTokens: 'optional',
    },
  }),
  world('tags', plain, { tags: { team: 'a', Name: 'mine', 'empty-value': '' } }),
  world('monitoring', plain, { detailedMonitoring: true, associatePublicIPAddress: true }),
  world('no-public-ip', plain, { associatePublicIPAddress: false, context: 'a-context' }),
  world('interfaces', claim([within(TYPE, 'p5.48xlarge', 'p4d.24xlarge'), onDemand]), {
    networkInterfaces: [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
    ],
  }),
  world('tracking', plain, {
    connectionTracking: { tcpEstablishedTimeout: 3600, udpStreamTimeout: 120, udpTimeout: 45 },
  }),
  world('prefixes', plain, { ipPrefixCount: 2 }),
  world('nested', claim([linux, amd64, onDemand, within(aws('instance-family'), 'c8i', 'm8i')]), {
    cpuOptions: { nestedVirtualization: 'enabled' },
  }),
  world('profile', plain, { role: undefined, instanceProfile: 'my-own-profile' }),
  world('no-subnets', plain, { subnetSelectorTerms: [{ tags: { nobody: 'has' } }] }),
  world('no-groups', plain, { securityGroupSelectorTerms: [{ tags: { nobody: 'has' } }] }),
  world('subnet-by-name', claim([amd64, spot, m5]), {
    subnetSelectorTerms: [{ tags: { Name: 'private-b' } }, { tags: { Name: 'private-d' } }],
  }),
  world('group-by-name', plain, { securityGroupSelectorTerms: [{ name: 'nodes' }] }),
  { ...world('no-role', plain, { role: 'nobody' }), stays: true },
  world('taints', {
    ...plain,
    taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
    startupTaints: [{ key: 'c', effect: 'NoExecute' }],
  }),
  world(
    'taints-bottlerocket',
    { ...plain, taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
    { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] },
  ),
  world('reserved', claim([reserved, amd64]), { capacityReservationSelectorTerms: [{ tags: { reserved: 'yes' } }] }),
  world('reserved-or-more', claim([within(CAPACITY, 'reserved', 'on-demand', 'spot'), amd64], requests('7', '20Gi')), {
    capacityReservationSelectorTerms: [{ id: 'cr-0000000000000001' }, { id: 'cr-0000000000000004' }],
  }),
  world('reserved-used-up', claim([within(CAPACITY, 'reserved', 'on-demand'), within(aws('instance-family'), 'r6i')]), {
    capacityReservationSelectorTerms: [{ id: 'cr-0000000000000003' }],
  }),
  world('reserved-block', claim([reserved, within(TYPE, 'p5.48xlarge')]), {
    capacityReservationSelectorTerms: [{ tags: { block: 'yes' } }],
  }),
  world('group-cluster', claim([amd64, onDemand, within(aws('instance-family'), 'c6i')]), {
    placementGroupSelector: { name: 'tight' },
  }),
  world('group-partition', claim([amd64, onDemand, within(aws('instance-family'), 'c6i')]), {
    placementGroupSelector: { id: 'pg-0000000000000002' },
  }),
  world('group-spread', claim([amd64, spot, within(aws('instance-family'), 'c6i')]), {
    placementGroupSelector: { name: 'apart' },
  }),
  world('group-none', plain, { placementGroupSelector: { name: 'nothing' } }),
  last('sold-out-spot', claim([within(TYPE, 'd3.xlarge'), spot])),
  last('sold-out-zone', claim([within(TYPE, 'd3.2xlarge'), onDemand])),
  last('sold-out', claim([within(TYPE, 'd3en.xlarge'), within(CAPACITY, 'spot', 'on-demand')])),
  last('sold-out-then-other', claim([within(TYPE, 'd3en.2xlarge', 'd3en.4xlarge'), onDemand])),
];
