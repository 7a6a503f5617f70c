import { VALIDATION_SUCCEEDED } from '../apis/condition-types.ts';
import { CORE_DEFINITIONS } from '../apis/crds/index.ts';
import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { applySchemaDefaults } from '../apiserver/crd/default-values.ts';
import { compileStructural, type Structural } from '../apiserver/crd/structural.ts';
import type { JsonObject } from '../apiserver/kind.ts';
import { findCondition } from '../kube/conditions.ts';
import type { KubeObject } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';

const STRUCTURALS: ReadonlyMap<string, Structural> = new Map(
  CORE_DEFINITIONS.flatMap(({ spec }) =>
    spec.versions.map(
      ({ name, schema }) =>
        [`${spec.group}/${name} ${spec.names.kind}`, compileStructural(schema?.openAPIV3Schema ?? {})] as const,
    ),
  ),
);

/** An object of Karpenter's as the API would store it: what its definition gives for fields that are left out. */
export function completed<T extends KubeObject>(object: T): T {
  const schema = STRUCTURALS.get(`${object.apiVersion} ${object.kind}`);
  if (!schema) return object;
  return applySchemaDefaults(object as unknown as JsonObject, schema) as unknown as T;
}

/** Whether both are the same object of a cluster, whatever is in it. */
export function isSameObject(a: KubeObject, b: KubeObject): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name && namespaceOf(a) === namespaceOf(b);
}

/** The edit as it would be stored over what is there, which keeps its identity and status. */
export function appliedTo(stored: KubeObject | undefined, edit: KubeObject): KubeObject {
  if (!stored) return edit;
  const { labels, annotations } = edit.metadata;
  const metadata = { ...stored.metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  const { status: _, ...body } = edit as KubeObject & { readonly status?: unknown };
  const { status } = stored as KubeObject & { readonly status?: unknown };
  return { ...body, metadata, ...(status === undefined ? {} : { status }) } as KubeObject;
}

/** A pool that the controller would find invalid: nothing is launched from it. */
export function unusable(nodePool: NodePool, problems: readonly string[]): NodePool {
  const condition = { type: 'Ready', status: 'False', message: problems.join('; ') } as const;
  return { ...nodePool, status: { ...nodePool.status, conditions: [condition] } };
}

/** A pool that the controller has found invalid before, and would not any more. */
export function usable(nodePool: NodePool): NodePool {
  if (findCondition(nodePool, VALIDATION_SUCCEEDED)?.status !== 'False') return nodePool;
  const { conditions: _, ...status } = nodePool.status ?? {};
  return { ...nodePool, status };
}

export interface Edits {
  readonly apply: readonly KubeObject[];
  /** Objects of the cluster that are to go. With a pool go its claims, whatever its budgets say. */
  readonly remove: readonly KubeObject[];
  /** Epoch milliseconds: when the claims of removed pools began to go. */
  readonly now: number;
}

/** The objects of a cluster after the edits. */
export function withEdits(objects: readonly KubeObject[], { apply, remove, now }: Edits): readonly KubeObject[] {
  const orphaned = new Set(remove.filter(({ kind }) => kind === 'NodePool').map(({ metadata }) => metadata.name));
  const rest = objects.flatMap((object) => {
    if (apply.some((edit) => isSameObject(edit, object)) || remove.some((gone) => isSameObject(gone, object)))
      return [];
    const isOrphan = object.kind === 'NodeClaim' && orphaned.has(object.metadata.labels?.[LABEL_NODEPOOL] ?? '');
    return [isOrphan ? leaving(object, now) : object];
  });
  return [...rest, ...apply];
}

function leaving(object: KubeObject, now: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: formatTimestamp(now) } };
}

function namespaceOf({ kind, metadata }: KubeObject): string {
  return kind === 'CapacityBuffer' || kind === 'PodTemplate' ? (metadata.namespace ?? 'default') : '';
}
