import type { Deployment, Pod, ReplicaSet } from '../../kube/objects.ts';
import { isTerminal, isTerminating } from '../../kube/pods.ts';
import { isControlledBy } from '../owners.ts';
import { type DeploymentPlan, RolloutDraft } from './draft.ts';
import { adoptNew, makeNew } from './new-replica-set.ts';
import { setProgressing } from './progress.ts';
import { rollStep } from './rolling.ts';
import {
  type DeploymentStatus,
  desiredReplicas,
  findNew,
  historyLimit,
  isComplete,
  isRollingUpdate,
  progressDeadline,
  revisionOf,
  specReplicas,
  statusOf,
  sumOf,
} from './rollout.ts';
import { isScalingEvent, scaleAll } from './scale.ts';
import { countedStatus, nextProgressCheck, rolloutStatus } from './status.ts';

export interface DeploymentView {
  readonly deployment: Deployment;
  /** Those that the Deployment controls. */
  readonly replicaSets: readonly ReplicaSet[];
  /** The pods of those ReplicaSets. */
  readonly pods: readonly Pod[];
}

/**
 * One step towards what the Deployment asks for (upstream's syncDeployment): the step's writes wake the controller
 * again, until nothing is left to do.
 */
export function planDeployment(view: DeploymentView, now: number): DeploymentPlan {
  const { deployment, replicaSets } = view;
  const draft = new RolloutDraft(deployment);
  const newest = findNew(deployment, replicaSets);
  const old = replicaSets.filter((set) => set !== newest);
  const status = nextStatus(draft, view, newest, old, now);
  return {
    create: draft.create,
    update: draft.update,
    remove: draft.remove,
    revision: draft.revision,
    status: status as Readonly<Record<string, unknown>>,
    events: draft.events,
    again: nextProgressCheck(deployment, status, now),
  };
}

function nextStatus(
  draft: RolloutDraft,
  view: DeploymentView,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const { deployment, replicaSets } = view;
  if (isTerminating(deployment)) return countedStatus(draft, replicaSets, newest, now);
  notePause(draft, now);
  if (newest) adoptNew(draft, newest, old, now);
  if (deployment.spec.paused === true || isScalingEvent(deployment, replicaSets)) {
    scaleAll(draft, newest, old);
    if (deployment.spec.paused === true) pruneHistory(draft, old);
    return countedStatus(draft, replicaSets, newest, now);
  }
  return isRollingUpdate(deployment) ? roll(draft, newest, old, now) : recreate(draft, view, newest, old, now);
}

function roll(
  draft: RolloutDraft,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const set = newest ?? makeNew(draft, old, now);
  const moved = rollStep(draft, set, old);
  if (!moved && isComplete(draft.deployment, statusOf(draft.deployment))) pruneHistory(draft, old);
  return rolloutStatus(draft, current(draft, [...old, set]), draft.current(set), now);
}

/** All old pods must be gone before the first new one comes. */
function recreate(
  draft: RolloutDraft,
  view: DeploymentView,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const all = newest ? [...old, newest] : old;
  const stopping = old.filter((set) => specReplicas(set) > 0 && draft.scale(set, 0));
  if (stopping.length > 0 || oldPodsRun(view, newest, old))
    return rolloutStatus(draft, current(draft, all), newest, now);
  const set = newest ?? makeNew(draft, old, now);
  if (newest) draft.scale(draft.current(newest), desiredReplicas(draft.deployment));
  if (isComplete(draft.deployment, statusOf(draft.deployment))) pruneHistory(draft, old);
  return rolloutStatus(draft, current(draft, [...old, set]), draft.current(set), now);
}

function current(draft: RolloutDraft, sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.map((set) => draft.current(set));
}

function oldPodsRun(view: DeploymentView, newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): boolean {
  if (sumOf(old, (set) => set.status?.replicas) > 0) return true;
  return view.pods.some((pod) => !isTerminal(pod) && !(newest && isControlledBy(pod, newest)));
}

function notePause(draft: RolloutDraft, now: number): void {
  if (progressDeadline(draft.deployment) === undefined) return;
  const reason = draft.conditions.find(({ type }) => type === 'Progressing')?.reason;
  if (reason === 'ProgressDeadlineExceeded') return;
  if (draft.deployment.spec.paused === true) {
    setProgressing(draft, 'Unknown', 'DeploymentPaused', 'Deployment is paused', now);
  } else if (reason === 'DeploymentPaused') {
    setProgressing(draft, 'Unknown', 'DeploymentResumed', 'Deployment is resumed', now);
  }
}

/** Empty old ReplicaSets beyond the history limit go, those of the lowest revision first. */
function pruneHistory(draft: RolloutDraft, old: readonly ReplicaSet[]): void {
  const limit = historyLimit(draft.deployment);
  if (limit === undefined) return;
  const alive = old.filter((set) => !isTerminating(set)).sort((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of alive.slice(0, Math.max(0, alive.length - limit))) {
    const empty = specReplicas(set) === 0 && (set.status?.replicas ?? 0) === 0;
    const observed = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
    if (empty && observed) draft.remove.push(set);
  }
}
