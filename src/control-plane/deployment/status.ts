import type { Deployment, ReplicaSet } from '../../kube/objects.ts';
import { nonZero } from '../counts.ts';
import type { RolloutDraft } from './draft.ts';
import { hasProgressed, renewProgressing, setCondition, setProgressing } from './progress.ts';
import {
  availableReplicas,
  type DeploymentStatus,
  desiredReplicas,
  isComplete,
  maxUnavailable,
  progressDeadline,
  specReplicas,
  statusOf,
  sumOf,
} from './rollout.ts';

/** The status without any judgement of progress: counts, and whether enough pods are available. */
export function countedStatus(
  draft: RolloutDraft,
  all: readonly ReplicaSet[],
  newest: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const { deployment } = draft;
  const available = sumOf(all, availableReplicas);
  const enough = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  draft.conditions = setCondition(
    draft.conditions,
    enough
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    now,
  );
  const collisionCount = statusOf(deployment).collisionCount;
  return {
    observedGeneration: deployment.metadata.generation,
    ...nonZero({
      replicas: sumOf(all, (set) => set.status?.replicas),
      updatedReplicas: newest?.status?.replicas ?? 0,
      readyReplicas: sumOf(all, (set) => set.status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sumOf(all, specReplicas) - available),
    }),
    ...(all.length > 0 ? { terminatingReplicas: sumOf(all, terminatingReplicas) } : {}),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: draft.conditions,
  };
}

function terminatingReplicas(set: ReplicaSet): number {
  return (set.status as { readonly terminatingReplicas?: number } | undefined)?.terminatingReplicas ?? 0;
}

/** The status of a rollout, with the Progressing condition and what the ReplicaSets fail at. */
export function rolloutStatus(
  draft: RolloutDraft,
  all: readonly ReplicaSet[],
  newest: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const { deployment } = draft;
  const status = countedStatus(draft, all, newest, now);
  judgeProgress(draft, status, newest, now);
  const failure = [...(newest ? [newest] : []), ...all]
    .flatMap((set) => set.status?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  draft.conditions =
    failure === undefined
      ? draft.conditions.filter(({ type }) => type !== 'ReplicaFailure')
      : setCondition(draft.conditions, failure, now);
  if (progressDeadline(deployment) === undefined) {
    draft.conditions = draft.conditions.filter(({ type }) => type !== 'Progressing');
  }
  return { ...status, conditions: draft.conditions };
}

function judgeProgress(
  draft: RolloutDraft,
  status: DeploymentStatus,
  newest: ReplicaSet | undefined,
  now: number,
): void {
  const { deployment } = draft;
  const deadline = progressDeadline(deployment);
  if (deadline === undefined) return;
  const current = draft.conditions.find(({ type }) => type === 'Progressing');
  const finished =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (finished) return;
  const subject = newest ? `ReplicaSet "${newest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    setProgressing(draft, 'True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`, now);
  } else if (hasProgressed(statusOf(deployment), status)) {
    renewProgressing(draft, `${subject} is progressing.`, now);
  } else if (current && current.reason !== 'NewReplicaSetAvailable') {
    const since = Date.parse(current.lastUpdateTime ?? current.lastTransitionTime ?? '');
    if (since + deadline * 1000 < now) {
      setProgressing(draft, 'False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`, now);
    }
  }
}

/** When the progress deadline must be looked at again, in milliseconds from now. */
export function nextProgressCheck(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const deadline = progressDeadline(deployment);
  const current = status.conditions?.find(({ type }) => type === 'Progressing');
  if (deadline === undefined || current === undefined) return undefined;
  if (isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded') return undefined;
  const since = Date.parse(current.lastUpdateTime ?? current.lastTransitionTime ?? '');
  return Math.max(0, since + deadline * 1000 - now) + 1000;
}
