import { describe, expect, test } from 'vitest';
import { bootstrapInput } from '../../../../../test/aws/bootstrap-input.ts';
import { causeOf, NodeClassNotReadyError } from '../../../../cloudprovider/errors.ts';
import { SILENT } from '../../../../logging/logger.ts';
import type { BootstrapInput } from './bootstrap-input.ts';
import { nodeadmUserData } from './nodeadm.ts';

const userData = (overrides: Partial<BootstrapInput> = {}): string =>
  nodeadmUserData(bootstrapInput(overrides), SILENT);

const HEAD = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
`;

const CONFIG = `Content-Type: application/node.eks.aws

# Karpenter Generated NodeConfig
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster:
    apiServerEndpoint: https://abc.eks.amazonaws.com
    certificateAuthority: Y2EtYnVuZGxl
    cidr: 10.100.0.0/16
    name: my-cluster
  containerd: {}
  instance:
    localStorage: {}
  kubelet:
    config:
      clusterDNS:
      - 10.100.0.10
      maxPods: 29
      registerWithTaints:
      - effect: NoSchedule
        key: team
        value: a
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default"

--//--
`;

test('10: an AL2023 node gets a NodeConfig', () => {
  expect(userData()).toBe(HEAD + CONFIG);
});

test('10: the kubelet gets all that users set, known to Karpenter or not', () => {
  const kubelet = {
    maxPods: 5,
    evictionSoftGracePeriod: { 'memory.available': '90s' },
    singleProcessOOMKill: true,
    topologyManagerPolicyOptions: { 'max-allowable-numa-nodes': '10' },
  };
  expect(userData({ kubelet, labels: {}, taints: [], instanceStorePolicy: 'RAID0' })).toContain(`  instance:
    localStorage:
      strategy: RAID0
  kubelet:
    config:
      evictionSoftGracePeriod:
        memory.available: 90s
      maxPods: 5
      registerWithTaints: []
      singleProcessOOMKill: true
      topologyManagerPolicyOptions:
        max-allowable-numa-nodes: "10"

--//--
`);
});

describe('10: the user data of users comes first', () => {
  const SHELL = 'text/x-shellscript; charset="us-ascii"';
  const NODE_CONFIG = 'application/node.eks.aws';

  test.each([
    [SHELL, '#!/bin/bash\necho hi'],
    [SHELL, '#!/bin/bash\n[ -e x ] && echo a'],
    [SHELL, '- a\n- b\n'],
    [SHELL, 'a: *unknown\n'],
    [SHELL, 'null: a\n'],
    [SHELL, 'a:\n  {b: c}: d\n'],
    [SHELL, '#!/bin/bash\n...\n'],
    [SHELL, '%YAML 1.1\n'],
    [NODE_CONFIG, 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n'],
    [NODE_CONFIG, '{"kind": "NodeConfig"}'],
    [NODE_CONFIG, 'a: 1\na: 2\n'],
    [NODE_CONFIG, 'a: 1\n---\n- b\n'],
    [NODE_CONFIG, '# nothing\n'],
    // Unlucky, but so does upstream.
    [NODE_CONFIG, '#!/bin/bash\necho "a: b"'],
  ])('as %s: %j', (type, customUserData) => {
    expect(userData({ customUserData })).toBe(`${HEAD}Content-Type: ${type}\n\n${customUserData}\n--//\n${CONFIG}`);
  });

  test('of an archive the parts, with their types only', () => {
    const customUserData = `Content-Type: multipart/mixed; boundary="x"

preamble
--x
Content-Type: application/node.eks.aws
X-Other: dropped

kind: NodeConfig
--x
Content-Transfer-Encoding: quoted-printable
Content-Type: text/x-shellscript

echo a=3Db =
c =E2=82=AC
--x--
epilogue`;
    const parts = `Content-Type: application/node.eks.aws\n\nkind: NodeConfig\n--//\nContent-Type: text/x-shellscript\n\necho a=b c €\n--//\n`;
    expect(userData({ customUserData })).toBe(HEAD + parts + CONFIG);
  });

  test('a broken archive is refused', () => {
    const customUserData = 'MIME-Version: 1.0\n\nx';
    expect(() => userData({ customUserData })).toThrow('parsing custom UserData, mime: no media type');
  });
});

test('10: before the addresses of services are known, the class is not ready', () => {
  let error: unknown;
  try {
    userData({ clusterCIDR: undefined });
  } catch (thrown) {
    error = thrown;
  }
  expect(causeOf(error, NodeClassNotReadyError)).toBeDefined();
  expect((error as Error).message).toBe('generating NodeConfig, NodeClassRef not ready, resolving cluster CIDR');
});

test('10: a certificate that is no base64 is refused', () => {
  expect(() => userData({ caBundle: 'not base64' })).toThrow('generating NodeConfig, decoding CABundle');
  expect(userData({ caBundle: 'YWJj\nZGVm' })).toContain('certificateAuthority: YWJjZGVm\n');
});
