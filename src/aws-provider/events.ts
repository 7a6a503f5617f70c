import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Event } from '../events/recorder.ts';
import { NodeClaims, NodePools } from '../kube/resources.ts';

const failed = { type: 'Warning', reason: '', message: 'Failed resolving NodeClass' } as const;

export function poolFailedResolvingNodeClass(pool: NodePool): Event {
  return { resource: NodePools, object: pool, ...failed, dedupe: [pool.metadata.uid ?? ''] };
}

export function claimFailedResolvingNodeClass(claim: NodeClaim): Event {
  return { resource: NodeClaims, object: claim, ...failed, dedupe: [claim.metadata.uid ?? ''] };
}
