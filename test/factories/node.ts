import type { Node } from '../../src/kube/objects.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';

const SIZE = { cpu: '4', memory: '16Gi', pods: '110' };

/** A ready node with 4 cpus and 16 GiB. */
export function node(overrides: Overrides<Node> = {}): Node {
  const name = overrides.metadata?.name ?? uniqueName('node');
  const base: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: { providerID: `kwok://${name}` },
    status: {
      capacity: SIZE,
      allocatable: SIZE,
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
    },
  };
  return merge(base, overrides);
}
