/** What a Deployment and its ReplicaSets say of each other (upstream's deployment/util). */
import type { Condition, Deployment, ReplicaSet } from '../../kube/objects.ts';
import { scaledValue } from '../int-or-percent.ts';
import { equalTemplates } from '../template-hash.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** Fields that mean "no limit" hold the largest int32. */
const NO_LIMIT = 2_147_483_647;

export interface DeploymentCondition extends Condition {
  readonly lastUpdateTime?: string;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

export function statusOf(deployment: Deployment): DeploymentStatus {
  return (deployment.status ?? {}) as DeploymentStatus;
}

export function desiredReplicas(object: Deployment | ReplicaSet): number {
  return object.spec.replicas ?? 1;
}

export function isRollingUpdate(deployment: Deployment): boolean {
  return (deployment.spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** Pods allowed above the desired number. */
export function maxSurge(deployment: Deployment): number {
  if (!isRollingUpdate(deployment)) return 0;
  return scaledValue(deployment.spec.strategy?.rollingUpdate?.maxSurge ?? '25%', desiredReplicas(deployment), 'up');
}

/** Pods that may be missing; 1 where both limits round to none, since nothing could move. */
export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  const limit = scaledValue(deployment.spec.strategy?.rollingUpdate?.maxUnavailable ?? '25%', desired, 'down');
  return Math.min(limit === 0 && maxSurge(deployment) === 0 ? 1 : limit, desired);
}

/** Seconds, when the Deployment has a progress deadline. */
export function progressDeadline(deployment: Deployment): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds;
  return seconds === NO_LIMIT ? undefined : seconds;
}

export function historyLimit(deployment: Deployment): number | undefined {
  const limit = deployment.spec.revisionHistoryLimit;
  return limit === NO_LIMIT ? undefined : limit;
}

export function revisionOf(set: ReplicaSet): number {
  const revision = Number(set.metadata.annotations?.[REVISION] ?? 0);
  return Number.isInteger(revision) ? revision : 0;
}

/** The oldest of the ReplicaSets that have the Deployment's template. */
export function findNew(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...sets].sort(oldestFirst).find((set) => equalTemplates(set.spec.template, deployment.spec.template));
}

export function oldestFirst(a: ReplicaSet, b: ReplicaSet): number {
  const difference = created(a) - created(b);
  return difference !== 0 ? difference : a.metadata.name < b.metadata.name ? -1 : 1;
}

function created(set: ReplicaSet): number {
  return set.metadata.creationTimestamp === undefined ? 0 : Date.parse(set.metadata.creationTimestamp);
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);
}

export const specReplicas = (set: ReplicaSet): number => desiredReplicas(set);
export const availableReplicas = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;

/** The new ReplicaSet has, and knows that it should have, all of the pods, and they are available. */
export function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = desiredReplicas(deployment);
  return (
    specReplicas(set) === desired &&
    set.metadata.annotations?.[DESIRED_REPLICAS] === String(desired) &&
    availableReplicas(set) === desired
  );
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}
