import type { KubeObject, LabelSelector, PodTemplateSpec } from '../../kube/objects.ts';
import { deepEqual } from '../deep-equal.ts';
import { controllerReference, type OwnerKind } from '../owners.ts';
import { hashOf } from '../template-hash.ts';

/** apps/v1 ControllerRevision: what `kubectl rollout history` lists and `undo` applies as a strategic merge patch. */
export interface ControllerRevision extends KubeObject {
  readonly data?: { readonly spec?: { readonly template?: RevisionTemplate } };
  readonly revision: number;
}

type RevisionTemplate = PodTemplateSpec & { readonly $patch?: 'replace' };

/** The owner of revisions: a DaemonSet or a StatefulSet. */
export interface RevisionedSet extends KubeObject {
  readonly spec: {
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: unknown;
}

export const REVISION_HASH = 'controller-revision-hash';

const DEFAULT_LIMIT = 10;

export interface RevisionPlan {
  /** The revision of the current template, as it will be. */
  readonly current: ControllerRevision;
  /** Whether `current` must be created, updated (it became the newest again) or is as it should be. */
  readonly write: 'create' | 'update' | 'none';
  /** All others, oldest first. */
  readonly old: readonly ControllerRevision[];
}

/** Finds or makes the revision of the set's present template. */
export function planRevision(
  set: RevisionedSet,
  kind: OwnerKind,
  revisions: readonly ControllerRevision[],
  collisionCount: number,
): RevisionPlan {
  const ordered = [...revisions].sort((a, b) => a.revision - b.revision);
  const newest = ordered.at(-1)?.revision ?? 0;
  const data = { spec: { template: { ...set.spec.template, $patch: 'replace' as const } } };
  const equal = ordered.findLast((revision) => deepEqual(revision.data, data));
  if (equal) {
    const old = ordered.filter((revision) => revision !== equal);
    return equal.revision === newest
      ? { current: equal, write: 'none', old }
      : { current: { ...equal, revision: newest + 1 }, write: 'update', old };
  }
  const hash = hashOf(set.spec.template, collisionCount);
  const current: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${set.metadata.name}-${hash}`,
      namespace: set.metadata.namespace,
      labels: { ...set.spec.template.metadata?.labels, [REVISION_HASH]: hash },
      annotations: set.metadata.annotations,
      ownerReferences: [controllerReference(set, kind)],
    },
    data,
    revision: newest + 1,
  };
  return { current, write: 'create', old: ordered };
}

/** Old revisions beyond the limit that no pod (by its hash label or revision name) and no status refers to. */
export function surplusRevisions(
  set: RevisionedSet,
  old: readonly ControllerRevision[],
  live: ReadonlySet<string>,
): readonly ControllerRevision[] {
  const unused = old.filter(
    ({ metadata }) => !live.has(metadata.name) && !live.has(metadata.labels?.[REVISION_HASH] ?? ''),
  );
  const surplus = unused.length - (set.spec.revisionHistoryLimit ?? DEFAULT_LIMIT);
  return unused.slice(0, Math.max(0, surplus));
}

export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const template = revision.data?.spec?.template;
  if (template === undefined) return undefined;
  const { $patch: _, ...rest } = template;
  return rest;
}
