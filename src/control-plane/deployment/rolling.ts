import type { ReplicaSet } from '../../kube/objects.ts';
import type { RolloutDraft } from './draft.ts';
import { newReplicas } from './new-replica-set.ts';
import { availableReplicas, desiredReplicas, maxUnavailable, oldestFirst, specReplicas, sumOf } from './rollout.ts';

/** One step of a rolling update: grow the new ReplicaSet, else shrink the old ones. Returns whether anything moved. */
export function rollStep(draft: RolloutDraft, newest: ReplicaSet, old: readonly ReplicaSet[]): boolean {
  return grow(draft, newest, old) || shrink(draft, newest, old);
}

function grow(draft: RolloutDraft, newest: ReplicaSet, old: readonly ReplicaSet[]): boolean {
  const desired = desiredReplicas(draft.deployment);
  const set = draft.current(newest);
  if (specReplicas(set) === desired) return false;
  if (specReplicas(set) > desired) return draft.scale(set, desired);
  return draft.scale(set, newReplicas(draft.deployment, [...old, set], set));
}

function shrink(draft: RolloutDraft, newest: ReplicaSet, old: readonly ReplicaSet[]): boolean {
  const active = old.filter((set) => specReplicas(set) > 0).sort(oldestFirst);
  if (active.length === 0) return false;
  const set = draft.current(newest);
  const minAvailable = desiredReplicas(draft.deployment) - maxUnavailable(draft.deployment);
  // Pods of the new ReplicaSet that aren't available yet must not let old ones go.
  const unavailable = specReplicas(set) - availableReplicas(set);
  const spare = sumOf([...old, set], specReplicas) - minAvailable - unavailable;
  if (spare <= 0) return false;
  const unhealthy = dropUnhealthy(draft, active, spare);
  return dropAvailable(draft, active, [...active, set], minAvailable) || unhealthy;
}

/** Old pods that aren't available protect nothing; without this they would block the rollout. */
function dropUnhealthy(draft: RolloutDraft, active: readonly ReplicaSet[], limit: number): boolean {
  let dropped = 0;
  for (const set of active) {
    const drop = Math.min(limit - dropped, specReplicas(set) - availableReplicas(set));
    if (drop <= 0) continue;
    draft.scale(set, specReplicas(set) - drop);
    dropped += drop;
  }
  return dropped > 0;
}

function dropAvailable(
  draft: RolloutDraft,
  active: readonly ReplicaSet[],
  all: readonly ReplicaSet[],
  minAvailable: number,
): boolean {
  let spare = sumOf(all, availableReplicas) - minAvailable;
  let dropped = false;
  for (const set of active) {
    const size = specReplicas(draft.current(set));
    const drop = Math.min(size, spare);
    if (drop <= 0) continue;
    draft.scale(draft.current(set), size - drop);
    spare -= drop;
    dropped = true;
  }
  return dropped;
}
