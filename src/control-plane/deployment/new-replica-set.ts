import type { Deployment, ReplicaSet } from '../../kube/objects.ts';
import { controllerReference } from '../owners.ts';
import { hashOf, POD_TEMPLATE_HASH } from '../template-hash.ts';
import { type RolloutDraft, withSizeAnnotations } from './draft.ts';
import { setProgressing } from './progress.ts';
import {
  DESIRED_REPLICAS,
  desiredReplicas,
  isRollingUpdate,
  MAX_REPLICAS,
  maxSurge,
  progressDeadline,
  REVISION,
  REVISION_HISTORY,
  revisionOf,
  specReplicas,
  statusOf,
  sumOf,
} from './rollout.ts';

const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);
const HISTORY_CHARACTERS = 2000;
const MAX_NAME = 253;

const DEPLOYMENT_KIND = { group: 'apps', version: 'v1', kind: 'Deployment' };

/** Brings revision and annotations of an existing new ReplicaSet up to date; a rollback gives it the next revision. */
export function adoptNew(draft: RolloutDraft, set: ReplicaSet, old: readonly ReplicaSet[], now: number): void {
  const { deployment } = draft;
  const annotated = annotate(deployment, set, nextRevision(old));
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (annotated !== set || (set.spec.minReadySeconds ?? 0) !== minReadySeconds) {
    draft.put({ ...annotated, spec: { ...annotated.spec, minReadySeconds } });
  }
  setRevision(draft, String(revisionOf(annotated)));
  const hasProgress = draft.conditions.some(({ type }) => type === 'Progressing');
  if (progressDeadline(deployment) !== undefined && !hasProgress) {
    setProgressing(draft, 'True', 'FoundNewReplicaSet', `Found new replica set "${set.metadata.name}"`, now);
  }
}

/** A ReplicaSet for a template that has none yet. */
export function makeNew(draft: RolloutDraft, old: readonly ReplicaSet[], now: number): ReplicaSet {
  const { deployment } = draft;
  const hash = hashOf(deployment.spec.template, statusOf(deployment).collisionCount);
  const labels = { ...deployment.spec.template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const empty: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name.slice(0, MAX_NAME - 1 - hash.length)}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      ownerReferences: [controllerReference(deployment, DEPLOYMENT_KIND)],
    },
    spec: {
      replicas: 0,
      minReadySeconds: deployment.spec.minReadySeconds ?? 0,
      selector: {
        ...deployment.spec.selector,
        matchLabels: { ...deployment.spec.selector.matchLabels, [POD_TEMPLATE_HASH]: hash },
      },
      template: {
        ...deployment.spec.template,
        metadata: { ...deployment.spec.template.metadata, labels },
      },
    },
  };
  const replicas = newReplicas(deployment, [...old, empty], empty);
  const sized = withSizeAnnotations(deployment, annotate(deployment, empty, nextRevision(old)));
  const set = { ...sized, spec: { ...sized.spec, replicas } };
  draft.create = set;
  if (replicas > 0) {
    const message = `Scaled up replica set ${set.metadata.name} from 0 to ${replicas}`;
    draft.events.push({ type: 'Normal', reason: 'ScalingReplicaSet', message });
  }
  setRevision(draft, String(revisionOf(set)));
  if (progressDeadline(deployment) !== undefined) {
    setProgressing(draft, 'True', 'NewReplicaSetCreated', `Created new replica set "${set.metadata.name}"`, now);
  }
  return set;
}

/** How large the new ReplicaSet may be now, given all others. */
export function newReplicas(deployment: Deployment, all: readonly ReplicaSet[], set: ReplicaSet): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const room = desired + maxSurge(deployment) - sumOf(all, specReplicas);
  if (room <= 0) return specReplicas(set);
  return specReplicas(set) + Math.min(room, desired - specReplicas(set));
}

function nextRevision(old: readonly ReplicaSet[]): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

function setRevision(draft: RolloutDraft, revision: string): void {
  if (draft.deployment.metadata.annotations?.[REVISION] !== revision) draft.revision = revision;
}

function annotate(deployment: Deployment, set: ReplicaSet, revision: number): ReplicaSet {
  const before = set.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  const annotations: Record<string, string> = { ...before, ...Object.fromEntries(copied) };
  const old = revisionOf(set);
  if (old < revision) {
    annotations[REVISION] = String(revision);
    if (before[REVISION] !== undefined) annotations[REVISION_HISTORY] = history(before[REVISION_HISTORY], old);
  }
  const same = Object.entries(annotations).every(([key, value]) => before[key] === value);
  return same ? set : { ...set, metadata: { ...set.metadata, annotations } };
}

function history(before: string | undefined, revision: number): string {
  const revisions = [...(before ? before.split(',') : []), String(revision)];
  while (revisions.length > 1 && revisions.join(',').length > HISTORY_CHARACTERS) revisions.shift();
  return revisions.join(',');
}
