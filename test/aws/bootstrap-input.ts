import type { BootstrapInput } from '../../src/aws-provider/providers/ami-family/bootstrap/bootstrap-input.ts';

/** What a node of `my-cluster` is told. */
export function bootstrapInput(overrides: Partial<BootstrapInput> = {}): BootstrapInput {
  return {
    clusterName: 'my-cluster',
    clusterEndpoint: 'https://abc.eks.amazonaws.com',
    clusterCIDR: '10.100.0.0/16',
    caBundle: 'Y2EtYnVuZGxl',
    kubelet: { maxPods: 29, clusterDNS: ['10.100.0.10'] },
    taints: [
      { key: 'team', value: 'a', effect: 'NoSchedule' },
      { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
    ],
    labels: { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot' },
    ...overrides,
  };
}
