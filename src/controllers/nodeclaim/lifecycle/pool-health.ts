import { NODE_POOL_CONDITIONS, NODE_REGISTRATION_HEALTHY } from '../../../apis/condition-types.ts';
import { ConditionSet } from '../../../apis/conditions.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { ControllerContext } from '../../context.ts';
import { poolOf } from '../disrupted-labels.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'clock' | 'registrationHealth'>;

/** Why a claim got no registered node, for the pool's condition. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/**
 * Counts how one claim's registration went for its pool, and says so on the pool when that changes the picture. The
 * condition is written before the sample is counted, so that a failed write neither loses nor doubles it.
 *
 * @param failure absent for a success.
 */
export async function recordRegistration(
  deps: Deps,
  claim: NodeClaim,
  failure: Failure | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { nodePools, clock, registrationHealth } = deps;
  const nodePool = nodePools.get(poolOf(claim));
  const uid = nodePool?.metadata.uid;
  if (!nodePool || uid === undefined) return;
  if (!claim.metadata.ownerReferences?.some((owner) => owner.kind === 'NodePool' && owner.uid === uid)) return;
  const health = registrationHealth.after(uid, failure === undefined);
  const conditions = new ConditionSet(nodePool, NODE_POOL_CONDITIONS, clock.now());
  let changed = false;
  if (!failure && health === 'Healthy') changed = conditions.setTrue(NODE_REGISTRATION_HEALTHY);
  if (failure && health === 'Unhealthy' && !conditions.isFalse(NODE_REGISTRATION_HEALTHY)) {
    changed = conditions.setFalse(NODE_REGISTRATION_HEALTHY, failure.reason, failure.message);
  }
  if (changed) {
    await nodePools.patchStatus(nodePool, conditions.applied(nodePool), { lock: true }, signal).catch(ignoreNotFound);
  }
  registrationHealth.record(uid, failure === undefined);
}
