import type { KubeObject } from '../../../src/kube/objects.ts';
import type { Seeded } from '../moto/server.ts';
import { CLUSTER, POOL } from './names.ts';

const DISCOVERY = { 'karpenter.sh/discovery': CLUSTER };

export const nodeClass = ({ role }: Seeded) => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: POOL },
  spec: {
    role,
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: DISCOVERY }],
    securityGroupSelectorTerms: [{ tags: DISCOVERY }],
    tags: { team: 'story' },
  },
});

export const nodePool = () => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: POOL },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: POOL },
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['amd64'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['spot', 'on-demand'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In' as const, values: ['c', 'm'] },
          { key: 'karpenter.k8s.aws/instance-cpu', operator: 'In' as const, values: ['8'] },
        ],
      },
    },
    disruption: { consolidationPolicy: 'WhenEmpty' as const, consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
  },
});

export const deployment = (replicas: number): KubeObject => {
  const labels = { app: 'web' };
  const resources = { requests: { cpu: '1500m', memory: '1Gi' } };
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { terminationGracePeriodSeconds: 2, containers: [{ name: 'web', image: 'web', resources }] },
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec,
  } as KubeObject;
};
