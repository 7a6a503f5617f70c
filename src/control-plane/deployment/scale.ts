import type { Deployment, ReplicaSet } from '../../kube/objects.ts';
import type { RolloutDraft } from './draft.ts';
import {
  DESIRED_REPLICAS,
  desiredReplicas,
  isRollingUpdate,
  isSaturated,
  MAX_REPLICAS,
  maxSurge,
  oldestFirst,
  specReplicas,
  statusOf,
  sumOf,
} from './rollout.ts';

/** Somebody changed the Deployment's size since its ReplicaSets were last told of it. */
export function isScalingEvent(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.some((set) => {
    const desired = set.metadata.annotations?.[DESIRED_REPLICAS];
    return specReplicas(set) > 0 && desired !== undefined && desired !== String(desiredReplicas(deployment));
  });
}

/** Brings the ReplicaSets to a changed size; in the middle of a rollout each gets its share. */
export function scaleAll(draft: RolloutDraft, newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): void {
  const { deployment } = draft;
  const sets = newest ? [...old, newest] : old;
  const active = sets.filter((set) => specReplicas(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? newest ?? [...old].sort(oldestFirst).at(-1));
  if (active.length <= 1) {
    if (only) draft.scale(only, desiredReplicas(deployment));
  } else if (newest && isSaturated(deployment, newest)) {
    for (const set of old) if (specReplicas(set) > 0) draft.scale(set, 0);
  } else if (isRollingUpdate(deployment)) {
    scaleProportionally(draft, active);
  }
}

function scaleProportionally(draft: RolloutDraft, active: readonly ReplicaSet[]): void {
  const { deployment } = draft;
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - sumOf(active, specReplicas);
  // The larger first; of equal ones the newer when growing, the older when shrinking.
  const age = toAdd > 0 ? -1 : 1;
  const ordered = [...active].sort((a, b) => specReplicas(b) - specReplicas(a) || age * oldestFirst(a, b));
  let added = 0;
  const shares = ordered.map((set) => {
    const share = toAdd === 0 ? 0 : clamp(shareOf(deployment, set), toAdd - added);
    added += share;
    return share;
  });
  ordered.forEach((set, index) => {
    const leftover = index === 0 ? toAdd - added : 0;
    draft.scale(set, Math.max(0, specReplicas(set) + (shares[index] ?? 0) + leftover), true);
  });
}

function clamp(share: number, left: number): number {
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** How many pods the ReplicaSet gains (or loses) for its part in the Deployment before the change. */
function shareOf(deployment: Deployment, set: ReplicaSet): number {
  const size = specReplicas(set);
  if (desiredReplicas(deployment) === 0) return -size;
  const before = Number(set.metadata.annotations?.[MAX_REPLICAS] ?? 0) || (statusOf(deployment).replicas ?? 0);
  if (before === 0) return 0;
  const after = desiredReplicas(deployment) + maxSurge(deployment);
  return Math.round((size * after) / before) - size;
}
