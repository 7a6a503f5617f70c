import { LAUNCHED } from '../apis/condition-types.ts';
import { AWAITING_RECONCILIATION } from '../apis/conditions.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import { findCondition } from '../kube/conditions.ts';

/** Somebody has tried, and said on the claim why it did not work. */
export function hasLaunchFailed(claim: NodeClaim): boolean {
  const launched = findCondition(claim, LAUNCHED);
  return launched?.status === 'Unknown' && launched.reason !== AWAITING_RECONCILIATION;
}
