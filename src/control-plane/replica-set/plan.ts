import type { Condition, Pod, ReplicaSet } from '../../kube/objects.ts';
import { isReady } from '../../kube/pods.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { withoutCondition } from '../conditions.ts';
import { nonZero } from '../counts.ts';
import { inDeletionOrder } from '../deletion-order.ts';
import { isAvailable } from '../pod-state.ts';

/** At most so many pods are created or deleted in one go, as upstream. */
const BURST = 500;

export type ReplicaPlan =
  | { readonly action: 'none' }
  | { readonly action: 'create'; readonly count: number }
  | { readonly action: 'delete'; readonly pods: readonly Pod[] };

/**
 * What brings `active` to spec.replicas. `related` are the pods of all ReplicaSets with the same owner: of two pods
 * alike the one that shares its node with more of them goes.
 */
export function planReplicas(
  set: ReplicaSet,
  active: readonly Pod[],
  related: readonly Pod[],
  now: number,
): ReplicaPlan {
  const surplus = active.length - (set.spec.replicas ?? 1);
  if (surplus === 0) return { action: 'none' };
  if (surplus < 0) return { action: 'create', count: Math.min(-surplus, BURST) };
  const ordered = surplus < active.length ? inDeletionOrder(active, related, now) : active;
  return { action: 'delete', pods: ordered.slice(0, Math.min(surplus, BURST)) };
}

/** Why pods could not be created or deleted. */
export interface ReplicaFailure {
  readonly message: string;
}

export function replicaSetStatus(
  set: ReplicaSet,
  active: readonly Pod[],
  terminating: number,
  failure: ReplicaFailure | undefined,
  now: number,
): NonNullable<ReplicaSet['status']> {
  const labels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const ready = active.filter(isReady);
  return {
    replicas: active.length,
    ...nonZero({
      fullyLabeledReplicas: active.filter((pod) => labels.every(([k, v]) => pod.metadata.labels?.[k] === v)).length,
      readyReplicas: ready.length,
      availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length,
    }),
    ...{ terminatingReplicas: terminating },
    observedGeneration: set.metadata.generation,
    conditions: failureConditions(set, active.length, failure, now),
  };
}

function failureConditions(
  set: ReplicaSet,
  active: number,
  failure: ReplicaFailure | undefined,
  now: number,
): readonly Condition[] {
  const conditions = set.status?.conditions ?? [];
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  if (conditions.some(({ type }) => type === 'ReplicaFailure')) return conditions;
  const reason = active < (set.spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete';
  return [
    ...conditions,
    {
      type: 'ReplicaFailure',
      status: 'True',
      reason,
      message: failure.message,
      lastTransitionTime: formatTimestamp(now),
    },
  ];
}
