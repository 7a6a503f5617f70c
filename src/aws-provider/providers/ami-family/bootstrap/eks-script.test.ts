import { describe, expect, test } from 'vitest';
import { bootstrapInput } from '../../../../../test/aws/bootstrap-input.ts';
import { SILENT } from '../../../../logging/logger.ts';
import type { BootstrapInput } from './bootstrap-input.ts';
import { eksUserData } from './eks-script.ts';

const userData = (overrides: Partial<BootstrapInput> = {}): string => eksUserData(bootstrapInput(overrides), SILENT);

const HEAD = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
`;

const SCRIPT = `Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'my-cluster' --apiserver-endpoint 'https://abc.eks.amazonaws.com' --b64-cluster-ca 'Y2EtYnVuZGxl' \\
--dns-cluster-ip '10.100.0.10' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default" --register-with-taints="team=a:NoSchedule,karpenter.sh/unregistered:NoExecute" --max-pods=29'
--//--
`;

test('10: an AL2 node runs the script of its image', () => {
  expect(userData()).toBe(HEAD + SCRIPT);
});

test('10: every kubelet setting is a flag, in a fixed order', () => {
  const kubelet = {
    cpuCFSQuota: false,
    imageGCLowThresholdPercent: 50,
    imageGCHighThresholdPercent: 80,
    evictionMaxPodGracePeriod: 30,
    evictionSoftGracePeriod: { 'nodefs.available': '90s', 'memory.available': '1h' },
    evictionSoft: { 'nodefs.available': '10%' },
    evictionHard: { 'nodefs.available': '5%', 'memory.available': '100Mi' },
    kubeReserved: { memory: '1Gi', cpu: '100m' },
    systemReserved: { cpu: '50m' },
    podsPerCore: 3,
    maxPods: 110,
  };
  const flags = /--kubelet-extra-args '(.*)'/.exec(userData({ kubelet, labels: {}, taints: [] }))?.[1];
  expect(flags?.split(' ')).toEqual([
    '--register-with-taints=""',
    '--max-pods=110',
    '--pods-per-core=3',
    '--system-reserved="cpu=50m"',
    '--kube-reserved="cpu=100m,memory=1Gi"',
    '--eviction-hard="memory.available<100Mi,nodefs.available<5%"',
    '--eviction-soft="nodefs.available<10%"',
    '--eviction-soft-grace-period="memory.available=1h0m0s,nodefs.available=1m30s"',
    '--eviction-max-pod-grace-period=30',
    '--image-gc-high-threshold=80',
    '--image-gc-low-threshold=50',
    '--cpu-cfs-quota=false',
  ]);
});

test('10: nodes of an IPv6 cluster are told so, and local disks become one', () => {
  const text = userData({ kubelet: { clusterDNS: ['fd30::a'] }, instanceStorePolicy: 'RAID0', caBundle: undefined });
  expect(text.split('\n').filter((line) => line.startsWith('--ip') || line.startsWith('--local'))).toEqual([
    '--ip-family ipv6 \\',
    '--local-disks raid0',
  ]);
  expect(text).not.toMatch('--b64-cluster-ca');
  expect(text).not.toMatch('--use-max-pods');
});

describe('10: the user data of users comes first', () => {
  test('a script as a part of its own', () => {
    const part = 'Content-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/bash\necho hi\n\n--//\n';
    expect(userData({ customUserData: '#!/bin/bash\r\necho hi\r\n' })).toBe(HEAD + part + SCRIPT);
  });

  const archive = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
X-Other: kept
content-type: text/x-shellscript

echo one

--BOUNDARY
Content-Type: text/cloud-config

two: 2
--BOUNDARY--
`;
  const parts = `Content-Type: text/x-shellscript
X-Other: kept

echo one

--//
Content-Type: text/cloud-config

two: 2
--//
`;

  test.each([
    ['', archive],
    [' with carriage returns', archive.replaceAll('\n', '\r\n')],
  ])('an archive with all its parts and their headers%s', (_, customUserData) => {
    expect(userData({ customUserData })).toBe(HEAD + parts + SCRIPT);
  });

  test.each([
    ['\nMIME-Version: 1.0\n\n', 'parsing custom user data input, mime: no media type'],
    ['Content-Type: text/plain\n\nx', 'user data is not in multipart MIME format'],
    ['Content-Type: multipart/mixed; boundary=//\n\n', 'mime: invalid media parameter'],
    ['Content-Type: multipart\n\n--b--', 'user data is not in multipart MIME format'],
    ['Content-Type: multipart/a b; boundary=b\n\n--b--', 'mime: no media type'],
    ['Content-Type: multipart/mixed; boundary=b;;\n\n--b--', 'mime: invalid media parameter'],
    ['Content-Type: multipart/mixed; boundary=b; boundary=c\n\n--b--', 'mime: duplicate parameter name'],
    ['Content-Type: multipart/mixed; boundary="b"\n\n--b\nä: x\n\n--b--', 'malformed MIME header line: "ä: x"'],
    ['Content-Type: multipart/mixed; boundary="b"\n\n--b\nx: \u0001\n\n--b--', 'malformed MIME header line'],
    ['Content-Type: multipart/mixed\n\n--b--', 'multipart: boundary is empty'],
    [archive.replace('--BOUNDARY--\n', ''), 'unexpected EOF'],
    ['Content-Type: multipart/mixed; boundary="b"\n\n--b\nno header\n\n--b--', 'malformed header line: no header'],
    ['Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b y\n--b--', 'multipart: unexpected line "--b y\\n"'],
  ])('a broken archive is refused: %j', (customUserData, message) => {
    expect(() => userData({ customUserData })).toThrow(message);
  });

  test('a backslash in a boundary is one, unless what is behind it needs it', () => {
    const customUserData =
      'Content-Type: multipart/mixed; boundary="a\\b\\"c"; boundary="a\\b\\"c";\n\n--a\\b"c\n\nx\n--a\\b"c--';
    expect(userData({ customUserData })).toBe(`${HEAD}\nx\n--//\n${SCRIPT}`);
  });

  test('what only begins like a boundary is none', () => {
    const customUserData = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx --b\n--bx\ny\n--b--';
    expect(userData({ customUserData })).toBe(`${HEAD}\nx --b\n--bx\ny\n--//\n${SCRIPT}`);
  });
});
