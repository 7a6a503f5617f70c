import { conflict, forbidden, invalid } from '../api-refusals.ts';
import { cleanupFinalizer } from '../custom-resources/cleanup-finalizer.ts';
import { asArray, asNumber, asObject, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { finalizersOf, isDeleting, metaOf, nameOf, uidOf, withMeta } from '../object-meta.ts';
import { getObject } from './get-object.ts';
import { objectKey } from './object-key.ts';
import { readerOf } from './object-reader.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { groupResourceOf } from './resource-definition.ts';
import { isDone } from './update-object.ts';
import { fromStorage, toStorage } from './version-conversion.ts';

export interface DeleteQuery {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface Deleted {
  /** The object as it was last, or as it now waits for its end. */
  readonly object: JsonObject;
  readonly gone: boolean;
}

/** Collections whose deletions answer with the object that is gone rather than with a Status. */
export const returnsDeleted: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
]);

const forever = new Set(['default', 'kube-public', 'kube-system']);
const orphanedByDefault: Readonly<Record<string, string>> = { 'batch/jobs': 'jobs' };

/** The delete verb. Resolves once it would survive a crash. Throws ApiError. */
export async function deleteObject(deps: RegistryDeps, request: WriteRequest, query: DeleteQuery): Promise<Deleted> {
  const deleted = await removeObject(deps, request, query);
  await deps.store.committed();
  return deleted;
}

/** Removes an object, or marks it for removal. One step before this returns, unless admission has to wait for somebody. */
export async function removeObject(
  deps: RegistryDeps,
  request: WriteRequest,
  query: DeleteQuery,
  options: { readonly admitted?: boolean } = {},
): Promise<Deleted> {
  checkOptions(query);
  const { resource, namespace, name, dryRun } = request;
  let old = getObject(deps, request);
  if (resource.collection === 'namespaces' && forever.has(name)) {
    throw forbidden(groupResourceOf(resource), name, 'this namespace may not be deleted');
  }
  checkPreconditions(request, old, query);
  if (!options.admitted) {
    const asked = { operation: 'DELETE' as const, request, object: old, old, objects: readerOf(deps.store) };
    const mutated = deps.admission.mutate(asked);
    if (mutated instanceof Promise) await mutated;
    const admitted = deps.admission.validate(asked);
    if (admitted instanceof Promise) await admitted;
    old = getObject(deps, request);
    checkPreconditions(request, old, query);
  }
  const now = deps.clock.now();
  const key = objectKey(resource, namespace, name);
  const graceful = withGrace(resource.collection, old, query, now);
  const next = withCleanup(resource.collection, withFinalizers(request, graceful, query), now);
  if (finalizersOf(next).length === 0 && resource.collection !== 'namespaces') {
    if (graceful === old && resource.collection !== 'pods') return gone(old);
    if (asNumber(metaOf(next).deletionGracePeriodSeconds) === 0) {
      if (!dryRun && graceful !== old) put(next);
      return gone(next);
    }
  }
  const marked = markDeleting(resource.collection, next, now);
  const firstOfNamespace = resource.collection === 'namespaces' && !isDeleting(old);
  if (!firstOfNamespace && isDone(resource, marked)) return gone(marked);
  if (marked === old || dryRun) return { object: marked, gone: false };
  return { object: put(marked), gone: false };

  function put(object: JsonObject): JsonObject {
    return fromStorage(resource, deps.store.put(resource.collection, key, toStorage(resource, object)));
  }

  function gone(last: JsonObject): Deleted {
    if (!dryRun) deps.store.remove(resource.collection, key, toStorage(resource, last));
    return { object: last, gone: true };
  }
}

function checkOptions({ propagationPolicy, orphanDependents }: DeleteQuery): void {
  const of = { group: 'meta.k8s.io', kind: 'DeleteOptions' };
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    throw invalid(of, '', [
      {
        type: 'FieldValueInvalid',
        field: 'propagationPolicy',
        message: `Invalid value: "${propagationPolicy}": orphanDependents and deletionPropagation cannot be both set`,
      },
    ]);
  }
  if (propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan', ''].includes(propagationPolicy)) {
    throw invalid(of, '', [
      {
        type: 'FieldValueNotSupported',
        field: 'propagationPolicy',
        message: `Unsupported value: "${propagationPolicy}": supported values: "Foreground", "Background", "Orphan"`,
      },
    ]);
  }
}

function checkPreconditions(
  { resource, name }: WriteRequest,
  object: JsonObject,
  { preconditions }: DeleteQuery,
): void {
  const of = { group: resource.group, resource: resource.kind };
  const { uid, resourceVersion } = metaOf(object);
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      of,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      of,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Pods get time to end; a second deletion can only shorten it (rest.BeforeDelete). Others come back as they are. */
function withGrace(collection: string, object: JsonObject, query: DeleteQuery, now: number): JsonObject {
  if (collection !== 'pods') return object;
  const asked = query.gracePeriodSeconds !== undefined && query.gracePeriodSeconds < 0 ? 1 : query.gracePeriodSeconds;
  const meta = metaOf(object);
  if (isDeleting(object)) {
    const left = asNumber(meta.deletionGracePeriodSeconds);
    if (left === 0 || asked === undefined || asked >= left) return object;
    const shortened = Date.parse(asString(meta.deletionTimestamp)) - left * 1000 + asked * 1000;
    const passed = shortened < now;
    return withMeta(object, {
      deletionTimestamp: timestamp(passed ? now : shortened),
      deletionGracePeriodSeconds: passed && asked !== 0 ? 1 : asked,
    });
  }
  const period = podGrace(object, asked);
  const generation = asNumber(meta.generation);
  return withMeta(object, {
    deletionTimestamp: timestamp(now + period * 1000),
    deletionGracePeriodSeconds: period,
    ...(generation > 0 ? { generation: generation + 1 } : {}),
  });
}

function podGrace(pod: JsonObject, asked: number | undefined): number {
  const spec = asObject(pod.spec);
  const phase = asObject(pod.status).phase;
  if (!asString(spec.nodeName) || phase === 'Failed' || phase === 'Succeeded') return 0;
  const period = asked ?? asNumber(spec.terminationGracePeriodSeconds);
  return period < 0 ? 1 : period;
}

/** The finalizers that a propagation policy asks the garbage collector's attention with. */
function withFinalizers(request: WriteRequest, object: JsonObject, query: DeleteQuery): JsonObject {
  const now = finalizersOf(object);
  const policy = policyOf(request, now, query);
  const finalizers = now.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (policy === 'Orphan') finalizers.push('orphan');
  if (policy === 'Foreground') finalizers.push('foregroundDeletion');
  if (finalizers.length === now.length && finalizers.every((finalizer, index) => finalizer === now[index]))
    return object;
  return withMeta(object, { finalizers: finalizers.length > 0 ? finalizers : undefined });
}

function policyOf({ resource, warn }: WriteRequest, now: readonly string[], query: DeleteQuery): string {
  if (query.propagationPolicy) return query.propagationPolicy;
  if (query.orphanDependents !== undefined) return query.orphanDependents ? 'Orphan' : 'Background';
  const plural = orphanedByDefault[resource.collection];
  if (plural) {
    warn(
      `child pods are preserved by default when ${plural} are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning`,
    );
  }
  if (now.includes('orphan')) return 'Orphan';
  if (now.includes('foregroundDeletion')) return 'Foreground';
  return plural ? 'Orphan' : 'Background';
}

/** Definitions of custom resources go after their resources. */
function withCleanup(collection: string, object: JsonObject, now: number): JsonObject {
  if (collection !== 'apiextensions.k8s.io/customresourcedefinitions' || isDeleting(object)) return object;
  const finalizers = [...finalizersOf(object), cleanupFinalizer];
  const status = asObject(object.status);
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const conditions = [...asArray(status.conditions), terminating];
  return { ...withMeta(object, { finalizers }), status: { ...status, conditions } };
}

/** The object as it waits for its finalizers. */
function markDeleting(collection: string, object: JsonObject, now: number): JsonObject {
  let next = object;
  if (!isDeleting(object)) {
    const generation = asNumber(metaOf(object).generation);
    next = withMeta(object, {
      deletionTimestamp: timestamp(now),
      deletionGracePeriodSeconds: 0,
      ...(generation > 0 ? { generation: generation + 1 } : {}),
    });
    if (collection === 'namespaces') {
      next = withMeta(next, { deletionGracePeriodSeconds: undefined });
      next = { ...next, status: { ...asObject(next.status), phase: 'Terminating' } };
    }
  } else if (collection !== 'pods' && collection !== 'namespaces' && metaOf(object).deletionGracePeriodSeconds !== 0) {
    next = withMeta(object, { deletionGracePeriodSeconds: 0 });
  }
  return next;
}

/** The Status that says that an object is gone. */
export const deletedStatus = (request: WriteRequest, object: JsonObject): JsonObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: nameOf(object),
    ...(request.resource.group ? { group: request.resource.group } : {}),
    kind: request.resource.plural,
    uid: uidOf(object),
  },
});
