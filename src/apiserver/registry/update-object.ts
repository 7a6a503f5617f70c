import type { ApiError } from '../../kube/errors.ts';
import { conflict, invalid, notFound, objectModified, refusal } from '../api-refusals.ts';
import { keepTimestamps } from '../apply/index.ts';
import { asNumber, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { finalizersOf, isDeleting, metaOf, withMeta } from '../object-meta.ts';
import type { AdmissionRequest } from './admission-chain.ts';
import { checkName, withRequestNamespace } from './check-namespace.ts';
import { checkSize } from './check-size.ts';
import { floatErrors, storeNew } from './create-object.ts';
import { decodeBody } from './decode-body.ts';
import { nextGeneration } from './generation.ts';
import { objectKey } from './object-key.ts';
import { readerOf } from './object-reader.ts';
import { withDistinctOwners } from './owner-references.ts';
import { prepareUpdate } from './prepare-update.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { type GroupVersionKind, groupKindOf, groupResourceOf, type ResourceDefinition } from './resource-definition.ts';
import { fromStorage, toStorage } from './version-conversion.ts';

export interface Written {
  readonly object: JsonObject;
  /** True if the write made the object. */
  readonly created: boolean;
}

/** Collections whose objects a PUT makes if they aren't there. */
const madeByPut = new Set([
  'coordination.k8s.io/leases',
  'endpoints',
  'events',
  'limitranges',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
  'services',
]);

/** Collections whose updates must say which version they change, as all custom resources' must. */
const conditional = new Set([
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'coordination.k8s.io/leases',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'node.k8s.io/runtimeclasses',
  'policy/poddisruptionbudgets',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/csistoragecapacities',
  'storage.k8s.io/volumeattachments',
]);

const needsVersion = (resource: ResourceDefinition): boolean =>
  resource.crd !== undefined || conditional.has(resource.collection);

/** The update verb. Resolves to what is stored once it would survive a crash. Throws ApiError. */
export async function updateObject(deps: RegistryDeps, request: WriteRequest, body: unknown): Promise<Written> {
  const { resource, name } = request;
  const decoded = await decodeBody(request, deps.kinds.of(resource), body);
  const object = withRequestNamespace(request, decoded);
  checkName(object, name);
  const written = await replaceObject(deps, request, () => object, {
    make: madeByPut.has(resource.collection) && !request.subresource,
  });
  await deps.store.committed();
  return written;
}

interface ReplaceOptions {
  /** Create what isn't there. */
  readonly make?: boolean;
  /** Field ownership is settled already. */
  readonly owned?: boolean;
  /** What admission sees of the object where a subresource shows it in another form. */
  readonly shownAs?: {
    readonly kind: GroupVersionKind;
    show(object: JsonObject): JsonObject;
    /** The object after admission has changed what it was shown. */
    take(object: JsonObject, shown: JsonObject): JsonObject;
  };
  /** A write without a version is about the version just read, as in a patch. */
  readonly unconditional?: boolean;
}

/**
 * Replaces an object by what `build` makes of it: checks the version, keeps what the endpoint may not change, validates,
 * and stores it unless it is equal to what is there. That is one step before this returns, unless admission has to wait for
 * somebody; if the object is another one by then, all begins anew.
 */
export async function replaceObject(
  deps: RegistryDeps,
  request: WriteRequest,
  build: (old: JsonObject) => JsonObject,
  options: ReplaceOptions = {},
): Promise<Written> {
  for (;;) {
    const written = await tryReplace(deps, request, build, options);
    if (written !== 'changed') return written;
  }
}

async function tryReplace(
  deps: RegistryDeps,
  request: WriteRequest,
  build: (old: JsonObject) => JsonObject,
  options: ReplaceOptions,
): Promise<Written | 'changed'> {
  const { store } = deps;
  const { resource, namespace, name, subresource } = request;
  const of = groupResourceOf(resource);
  const key = objectKey(resource, namespace, name);
  const stored = store.get(resource.collection, key);
  if (!stored) {
    if (!options.make) throw notFound(of, name);
    const made = withMeta(build({}), { resourceVersion: undefined });
    const { uid } = metaOf(made);
    if (uid && options.owned) {
      throw conflict(
        of,
        name,
        `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`,
      );
    }
    return { object: await storeNew(deps, request, made, { owned: options.owned ?? false }), created: true };
  }
  const old = deps.kinds.shown(resource, stored);
  let object = build(old);
  if (object === old) return { object: old, created: false };
  checkPreconditions(request, object, old, options.unconditional ?? false);

  const kind = deps.kinds.of(resource);
  const now = timestamp(deps.clock.now());
  const objects = readerOf(store);
  object = withDistinctOwners(request, keepSystemFields(request, object, old));
  if (!options.owned) {
    object = deps.fields.update({ resource, manager: request.fieldManager, subresource, now }, object, old);
  }
  const { shownAs } = options;
  const asked = (now: JsonObject): AdmissionRequest =>
    shownAs
      ? { operation: 'UPDATE', request, object: shownAs.show(now), old: shownAs.show(old), objects, kind: shownAs.kind }
      : { operation: 'UPDATE', request, object: now, old, objects };
  const mutation = deps.admission.mutate(asked(object));
  const mutated = mutation instanceof Promise ? await mutation : mutation;
  object = shownAs ? shownAs.take(object, mutated) : mutated;
  object = prepareUpdate(deps, request, object, old);
  object = withMeta(object, {
    generation: subresource === 'status' ? metaOf(old).generation : nextGeneration(resource, object, old),
  });
  const errors = [...kind.validateUpdate(object, old, subresource), ...floatErrors(kind, request)];
  if (errors.length > 0) throw invalid(groupKindOf(resource), name, errors);
  for (const text of kind.warnings?.(object, old) ?? []) request.warn(text);
  const admitted = deps.admission.validate(asked(object));
  if (admitted instanceof Promise) await admitted;
  if (store.get(resource.collection, key) !== stored) return 'changed';

  if (keepTimestamps(old, object) === old) return { object: old, created: false };
  if (request.dryRun) return { object, created: false };
  if (isDone(resource, object)) {
    store.remove(resource.collection, key, toStorage(resource, object));
    return { object, created: false };
  }
  checkSize(request, object);
  return {
    object: fromStorage(resource, store.put(resource.collection, key, toStorage(resource, object))),
    created: false,
  };
}

function checkPreconditions(request: WriteRequest, object: JsonObject, old: JsonObject, unconditional: boolean): void {
  const { resource, name } = request;
  const of = groupResourceOf(resource);
  const { uid, resourceVersion } = metaOf(object);
  const before = metaOf(old);
  if (uid && uid !== before.uid && !unconditional) throw uidConflict(request, String(uid), String(before.uid));
  const version = asString(resourceVersion);
  if (version === '' || version === '0') {
    if (unconditional || !needsVersion(resource)) return;
    throw invalid(resource, name, [
      {
        type: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: `Invalid value: ${version === '' ? '0' : version}: must be specified for an update`,
      },
    ]);
  }
  if (!/^\d+$/.test(version)) {
    throw refusal(500, '', `strconv.ParseUint: parsing "${version}": invalid syntax`);
  }
  if (version !== before.resourceVersion) throw objectModified(of, name);
}

/** 409 in the words of upstream's storage: the object at this name is another one. */
export function uidConflict({ resource, namespace, name }: WriteRequest, given: string, uid: string): ApiError {
  const key = [
    '/registry',
    resource.crd ? resource.collection : resource.plural,
    ...(resource.namespaced ? [namespace] : []),
    name,
  ].join('/');
  return conflict(
    groupResourceOf(resource),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`,
  );
}

/** What no update changes, whatever it says. */
function keepSystemFields(request: WriteRequest, object: JsonObject, old: JsonObject): JsonObject {
  const before = metaOf(old);
  return withMeta(withRequestNamespace(request, object), {
    uid: metaOf(object).uid || before.uid,
    resourceVersion: before.resourceVersion,
    creationTimestamp: before.creationTimestamp,
    deletionTimestamp: before.deletionTimestamp,
    deletionGracePeriodSeconds: before.deletionGracePeriodSeconds,
    selfLink: undefined,
    generation: before.generation,
  });
}

/** Whether a deletion waits for nothing any more. */
export function isDone(resource: ResourceDefinition, object: JsonObject): boolean {
  if (!isDeleting(object) || finalizersOf(object).length > 0) return false;
  if (resource.collection === 'namespaces' && namespaceFinalizers(object) > 0) return false;
  return asNumber(metaOf(object).deletionGracePeriodSeconds) === 0;
}

const namespaceFinalizers = (namespace: JsonObject): number => {
  const finalizers = (namespace.spec as JsonObject | undefined)?.finalizers;
  return Array.isArray(finalizers) ? finalizers.length : 0;
};
