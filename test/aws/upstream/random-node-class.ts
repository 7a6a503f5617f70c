import type { SeededChoices } from '../../parity/random.ts';
import type { World } from './world.ts';

type NodeClass = World['nodeClass'];

const ALIASES = [
  ...['al2023@latest', 'al2023@latest', 'al2023@latest', 'al2023@v20240807', 'al2@latest', 'al2@v20240807'],
  ...['bottlerocket@latest', 'bottlerocket@latest', 'windows2022@latest', 'windows2019@latest'],
];
const ROOTS: Readonly<Record<string, string>> = {
  bottlerocket: '/dev/xvdb',
  windows2022: '/dev/sda1',
  windows2019: '/dev/sda1',
};

const AMI_FAMILIES = { al2: 'AL2', al2023: 'AL2023' } as const;

/** A class with an alias, and a handful of the rest. */
export function randomNodeClass(choices: SeededChoices): NodeClass {
  const alias = choices.pick(ALIASES);
  const [family = ''] = alias.split('@');
  const parts: NodeClass[] = [
    { kubelet: kubelet(choices, family) },
    { blockDeviceMappings: volumes(choices, ROOTS[family] ?? '/dev/xvda') },
    { userData: userData(choices, family) },
    { metadataOptions: metadata(choices) },
    { tags: { team: choices.pick(['a', 'b c', 'ä']), 'cost/centre': String(choices.integer(1, 99)) } },
    { detailedMonitoring: choices.chance(0.7) },
    { associatePublicIPAddress: choices.chance(0.5) },
    { instanceStorePolicy: 'RAID0' },
    { context: 'a-context' },
    {
      subnetSelectorTerms: choices.some(['a', 'b', 'c', 'd'], 3).map((zone) => ({ tags: { Name: `private-${zone}` } })),
    },
    { securityGroupSelectorTerms: [{ name: 'nodes' }] },
    {
      connectionTracking: { udpTimeout: choices.integer(30, 60), tcpEstablishedTimeout: choices.integer(60, 432_000) },
    },
    { ipPrefixCount: choices.integer(1, 4) },
  ];
  const rare: NodeClass[] = [
    { placementGroupSelector: { name: choices.pick(['tight', 'parts', 'apart']) } },
    { role: undefined, instanceProfile: 'my-own-profile' },
    { networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }] },
    // Takes the alias's place: the family stands for itself.
    ...(family === 'al2023' || family === 'al2'
      ? [{ amiFamily: AMI_FAMILIES[family], amiSelectorTerms: [{ tags: { team: 'a' } }] }]
      : []),
  ];
  const chosen = [...parts.filter(() => choices.chance(0.25)), ...rare.filter(() => choices.chance(0.08))];
  return Object.assign({ amiSelectorTerms: [{ alias }] }, ...chosen);
}

function kubelet(choices: SeededChoices, family: string): NonNullable<NodeClass['kubelet']> {
  const soft = { 'memory.available': choices.pick(['8%', '500Mi']) };
  const parts: object[] = [
    { maxPods: choices.pick([8, 20, 58, 110, 250]) },
    { systemReserved: { cpu: choices.pick(['50m', '1']), memory: '300Mi', 'ephemeral-storage': '1Gi' } },
    { kubeReserved: choices.pick([{ cpu: '100m' }, { memory: '1Gi' }, { cpu: '80m', memory: '200Mi', pid: '1000' }]) },
    {
      evictionHard: {
        'memory.available': choices.pick(['5%', '100Mi', '1Gi']),
        'nodefs.available': choices.pick(['10%', '15%', '2Gi']),
      },
    },
    { evictionSoft: soft, evictionSoftGracePeriod: { 'memory.available': '1m0s' }, evictionMaxPodGracePeriod: 60 },
    { imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: choices.integer(40, 80) },
    { cpuCFSQuota: choices.chance(0.5) },
    { clusterDNS: ['10.0.1.100'] },
  ];
  const perCore = family === 'bottlerocket' ? {} : { podsPerCore: choices.integer(1, 12) };
  return Object.assign({}, ...[...parts, perCore].filter(() => choices.chance(0.35)));
}

function volumes(choices: SeededChoices, root: string): NonNullable<NodeClass['blockDeviceMappings']> {
  const volume = (deviceName: string, rootVolume: boolean) => ({
    deviceName,
    ...(rootVolume ? { rootVolume } : {}),
    ebs: {
      volumeSize: choices.pick(['8Gi', '20Gi', '100Gi', '1Ti', '50G']),
      volumeType: choices.pick(['gp3', 'gp2', 'io2']),
      encrypted: choices.chance(0.5),
      deleteOnTermination: choices.chance(0.8),
      ...(choices.chance(0.3) ? { iops: 4000 } : {}),
      ...(choices.chance(0.3) ? { throughput: 250 } : {}),
    },
  });
  const more = choices.chance(0.3) ? [volume('/dev/xvdz', false)] : [];
  return [volume(choices.chance(0.8) ? root : '/dev/sdq', choices.chance(0.3)), ...more];
}

const MIME = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="//"',
  '',
  '--//',
  'Content-Type: text/cloud-config; charset="us-ascii"',
  '',
  'packages: [htop]',
  '--//',
  'Content-Type: text/x-shellscript',
  '',
  'echo two',
  '--//--',
  '',
].join('\n');
const NODE_CONFIG = [
  'apiVersion: node.eks.aws/v1alpha1',
  'kind: NodeConfig',
  'spec:',
  '  cluster:',
  '    name: other',
  '  kubelet:',
  '    config:',
  '      shutdownGracePeriod: 30s',
  '    flags: [--v=2]',
  '',
].join('\n');
const TOML = '[settings.kubernetes]\nmax-pods = 42\n"cluster-dns-ip" = "10.0.0.1"\n[settings.motd]\n';

function userData(choices: SeededChoices, family: string): string {
  if (family === 'bottlerocket') return choices.pick([TOML, '[settings]\nmotd = "hello"\n']);
  if (family.startsWith('windows'))
    return choices.pick(['Write-Host "one"', '<powershell>\nWrite-Host two\n</powershell>']);
  const scripts = ['#!/bin/bash\necho one\n', 'echo two', MIME];
  return choices.pick(family === 'al2023' ? [...scripts, NODE_CONFIG] : scripts);
}

const metadata = (choices: SeededChoices): NonNullable<NodeClass['metadataOptions']> => ({
  httpEndpoint: choices.pick(['enabled', 'disabled']),
  httpProtocolIPv6: choices.pick(['enabled', 'disabled']),
  httpPutResponseHopLimit: choices.integer(1, 3),
  httpTokens: choices.pick(['required', 'optional']),
});
