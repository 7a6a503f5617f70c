import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';
import { NODE_CLASS_REF } from './node-pool.ts';

/** A claim that nobody has launched. */
export function nodeClaim(overrides: Overrides<NodeClaim> = {}): NodeClaim {
  const base: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: uniqueName('claim') },
    spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], expireAfter: 'Never' },
  };
  return merge(base, overrides);
}
