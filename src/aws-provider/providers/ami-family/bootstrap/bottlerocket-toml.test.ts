import { describe, expect, test } from 'vitest';
import { bootstrapInput } from '../../../../../test/aws/bootstrap-input.ts';
import { type Logger, SILENT } from '../../../../logging/logger.ts';
import type { BootstrapInput } from './bootstrap-input.ts';
import { bottlerocketToml } from './bottlerocket-toml.ts';

const userData = (overrides: Partial<BootstrapInput> = {}, log: Logger = SILENT): string =>
  bottlerocketToml(bootstrapInput(overrides), log);

test('10: a Bottlerocket node gets settings', () => {
  expect(userData()).toBe(`[settings]
[settings.kubernetes]
api-server = 'https://abc.eks.amazonaws.com'
cluster-certificate = 'Y2EtYnVuZGxl'
cluster-name = 'my-cluster'
cluster-dns-ip = '10.100.0.10'
max-pods = 29

[settings.kubernetes.node-labels]
'karpenter.sh/capacity-type' = 'spot'
'karpenter.sh/nodepool' = 'default'

[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
team = ['a:NoSchedule']
`);
});

test('10: every kubelet setting that Karpenter knows has its like', () => {
  const kubelet = {
    maxPods: 110,
    clusterDNS: ['10.0.0.10', '10.0.0.11'],
    systemReserved: { cpu: '100m' },
    kubeReserved: { memory: '1Gi' },
    evictionHard: { 'memory.available': '5%' },
    evictionSoft: { 'nodefs.available': '10%' },
    evictionSoftGracePeriod: { 'nodefs.available': '90s' },
    evictionMaxPodGracePeriod: 30,
    imageGCHighThresholdPercent: 80,
    imageGCLowThresholdPercent: 50,
    cpuCFSQuota: false,
  };
  expect(userData({ kubelet, labels: {}, taints: [], caBundle: undefined })).toBe(`[settings]
[settings.kubernetes]
api-server = 'https://abc.eks.amazonaws.com'
cluster-name = 'my-cluster'
cluster-dns-ip = '10.0.0.10'
max-pods = 110
eviction-max-pod-grace-period = 30
image-gc-high-threshold-percent = '80'
image-gc-low-threshold-percent = '50'
cpu-cfs-quota-enforced = false

[settings.kubernetes.eviction-hard]
'memory.available' = '5%'

[settings.kubernetes.eviction-soft]
'nodefs.available' = '10%'

[settings.kubernetes.eviction-soft-grace-period]
'nodefs.available' = '1m30s'

[settings.kubernetes.kube-reserved]
memory = '1Gi'

[settings.kubernetes.system-reserved]
cpu = '100m'
`);
});

describe('10: the settings of users', () => {
  test('stay, but for those that are Karpenter’s', () => {
    const customUserData = `
[settings]
motd = "it's \\"me\\"\\n"
float = 1.0
[settings.kubernetes]
cluster-name = "other"
cloud-provider = "aws"
event-qps = 0
max-pods = 5
[settings.kubernetes.node-labels]
own = "x"
"karpenter.sh/nodepool" = "other"
[settings.kubernetes.node-taints]
gone = ["y:NoSchedule"]
[settings.kubernetes.credential-providers.ecr]
enabled = true
[[settings.ntp]]
server = "a"
[[settings.ntp]]
server = "b"
[other]
ignored = 1
`;
    expect(userData({ customUserData })).toBe(`[settings]
float = 1.0
motd = "it's \\"me\\"\\n"

[settings.kubernetes]
api-server = 'https://abc.eks.amazonaws.com'
cloud-provider = 'aws'
cluster-certificate = 'Y2EtYnVuZGxl'
cluster-name = 'my-cluster'
cluster-dns-ip = '10.100.0.10'
max-pods = 29
event-qps = 0

[settings.kubernetes.credential-providers]
[settings.kubernetes.credential-providers.ecr]
enabled = true
image-patterns = []

[settings.kubernetes.node-labels]
'karpenter.sh/capacity-type' = 'spot'
'karpenter.sh/nodepool' = 'default'
own = 'x'

[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
team = ['a:NoSchedule']

[[settings.ntp]]
server = 'a'

[[settings.ntp]]
server = 'b'
`);
  });

  test('are found in whatever case, and their numbers and times stay what they are', () => {
    const customUserData = `
[Settings]
small = 1.5e-7
zero = -0.0
time = 1979-05-27T07:32:00.500-07:00
[Settings.Host-containers.admin]
enabled = true
[Settings.kubernetes]
Event-QPS = 5
EVENT-QPS = 7
log-level = 4294967295
cluster-certificate = "b3duIG9uZQ=="
node-taints.own = ["a:NoSchedule"]
`;
    const text = userData({ customUserData, caBundle: undefined, taints: [] });
    expect(text).toContain('small = 0.00000015\ntime = 1979-05-27T07:32:00.5-07:00\nzero = -0.0\n');
    expect(text).toContain('[settings.Host-containers.admin]\nenabled = true\n');
    expect(text).toContain('event-qps = 7\nlog-level = 4294967295\n');
    // What is Karpenter's alone is not kept even if it has nothing to say.
    expect(text).not.toMatch(/cluster-certificate|node-taints/);
  });

  test('that nobody knows are dropped, and logged', () => {
    const logged: unknown[] = [];
    const log: Logger = { ...SILENT, error: (message, _error, fields) => logged.push([message, fields]) };
    const customUserData = '[settings.kubernetes]\nunknown = 1\nstatic-pods.a.what = true\n';
    expect(userData({ customUserData }, log)).not.toMatch(/unknown =|what/);
    expect(logged).toEqual([
      [
        'Unknown parameter in userData K8s settings',
        { reason: 'settings.kubernetes.unknown, settings.kubernetes.static-pods.a.what' },
      ],
    ]);
  });

  test.each([
    ['no toml', 'invalid UserData, '],
    ['settings = 1', 'invalid UserData, toml: settings must be a table'],
    ['[settings.kubernetes]\nmax-pods = "5"', 'settings.kubernetes.max-pods must be a integer, not a string'],
    [
      '[settings.kubernetes]\nallowed-unsafe-sysctls = [1]',
      'allowed-unsafe-sysctls[0] must be a string, not a integer',
    ],
    ['[settings.kubernetes]\nlog-level = -1', 'settings.kubernetes.log-level must be a uint32, not -1'],
    ['[settings.kubernetes]\nlog-level = 4294967296', 'log-level must be a uint32, not 4294967296'],
    ['[settings.bootstrap-commands]\nx = 1', 'settings.bootstrap-commands.x must be a table, not a integer'],
  ])('are refused when they are of the wrong kind: %j', (customUserData, message) => {
    expect(() => userData({ customUserData })).toThrow(message);
  });
});

describe('10: local disks', () => {
  const RAID0 = { instanceStorePolicy: 'RAID0' } as const;

  test('are mounted by a command', () => {
    expect(userData({ ...RAID0, bindsKnownDirectories: true })).toContain(`[settings.bootstrap-commands]
[settings.bootstrap-commands.000-mount-instance-storage]
commands = [['apiclient', 'ephemeral-storage', 'init'], ['apiclient', 'ephemeral-storage', 'bind']]
mode = 'always'
essential = true
`);
  });

  test('have their directories named for old releases, and leave the commands of users alone', () => {
    const customUserData = '[settings.bootstrap-commands.own]\ncommands = [["a", "b"]]\nmode = "once"\n';
    const text = userData({ ...RAID0, customUserData });
    expect(text).toContain(
      `['apiclient', 'ephemeral-storage', 'bind', '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods']]`,
    );
    expect(text).toContain(`[settings.bootstrap-commands.own]
commands = [['a', 'b']]
mode = 'once'
essential = false
`);
  });
});
