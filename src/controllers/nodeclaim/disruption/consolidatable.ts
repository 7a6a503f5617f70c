import { CONSOLIDATABLE, INITIALIZED } from '../../../apis/condition-types.ts';
import type { ConditionSet } from '../../../apis/conditions.ts';
import { parseNillableDuration } from '../../../apis/duration.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';

/** Says whether nothing has happened on the node for the pool's consolidateAfter (karpenter-core.md 5.13.2). */
export function updateConsolidatable(
  nodePool: NodePool,
  claim: NodeClaim,
  conditions: ConditionSet,
  now: number,
): ReconcileResult | undefined {
  const quiet = parseNillableDuration(nodePool.spec.disruption?.consolidateAfter, '0s');
  if (quiet === undefined || !conditions.isTrue(INITIALIZED)) {
    conditions.clear(CONSOLIDATABLE);
    return undefined;
  }
  const last = claim.status?.lastPodEventTime;
  const since = last === undefined ? conditions.since(INITIALIZED) : Date.parse(last);
  const left = since + quiet - now;
  if (left > 0) {
    conditions.clear(CONSOLIDATABLE);
    return { requeueAfter: left };
  }
  conditions.setTrue(CONSOLIDATABLE);
  return undefined;
}
