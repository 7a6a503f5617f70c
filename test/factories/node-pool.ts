import type { NodePool } from '../../src/apis/node-pool.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';

export const NODE_CLASS_REF = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

/** A pool without restrictions, consolidating at once, with no budget. */
export function nodePool(overrides: Overrides<NodePool> = {}): NodePool {
  const base: NodePool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: uniqueName('pool') },
    spec: {
      template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], expireAfter: 'Never' } },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '0s',
        budgets: [{ nodes: '100%' }],
      },
    },
  };
  return merge(base, overrides);
}
