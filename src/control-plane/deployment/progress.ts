import { formatTimestamp } from '../../kube/timestamp.ts';
import type { RolloutDraft } from './draft.ts';
import type { DeploymentCondition, DeploymentStatus } from './rollout.ts';

/** Puts a condition in unless one of the same status and reason is there (upstream's SetDeploymentCondition). */
export function setCondition(
  conditions: readonly DeploymentCondition[],
  condition: Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: number,
): readonly DeploymentCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  if (old !== undefined && old.status === condition.status && old.reason === condition.reason) return conditions;
  const time = formatTimestamp(now);
  const transition = old?.status === condition.status ? old.lastTransitionTime : time;
  return [
    ...conditions.filter(({ type }) => type !== condition.type),
    { ...condition, lastUpdateTime: time, lastTransitionTime: transition },
  ];
}

export function setProgressing(
  draft: RolloutDraft,
  status: DeploymentCondition['status'],
  reason: string,
  message: string,
  now: number,
): void {
  draft.conditions = setCondition(draft.conditions, { type: 'Progressing', status, reason, message }, now);
}

/** New pods came up or became ready or available, or old ones went. */
export function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const count = (value: number | undefined): number => value ?? 0;
  const old = (status: DeploymentStatus): number => count(status.replicas) - count(status.updatedReplicas);
  return (
    count(after.updatedReplicas) > count(before.updatedReplicas) ||
    old(after) < old(before) ||
    count(after.readyReplicas) > count(before.readyReplicas) ||
    count(after.availableReplicas) > count(before.availableReplicas)
  );
}

/** Says "progressing" anew: the update time moves even when the condition already said so. */
export function renewProgressing(draft: RolloutDraft, message: string, now: number): void {
  const old = draft.conditions.find(({ type }) => type === 'Progressing');
  const time = formatTimestamp(now);
  draft.conditions = [
    ...draft.conditions.filter(({ type }) => type !== 'Progressing'),
    {
      type: 'Progressing',
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message,
      lastUpdateTime: time,
      lastTransitionTime: old?.status === 'True' ? old.lastTransitionTime : time,
    },
  ];
}
