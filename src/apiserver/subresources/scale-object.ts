import { badRequest, internalError, invalid } from '../api-refusals.ts';
import {
  applyConfiguration,
  parentManagedFields,
  scaleManagedFields,
  updateManagedFields,
  type Write,
} from '../apply/index.ts';
import { asNumber, asObject, asString, at, isObject, timestamp, withAt } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf, uidOf, withMeta } from '../object-meta.ts';
import { checkName } from '../registry/check-namespace.ts';
import { decodeBody } from '../registry/decode-body.ts';
import { applying } from '../registry/field-management.ts';
import { getObject } from '../registry/get-object.ts';
import { type PatchBody, patchFunction } from '../registry/patch-object.ts';
import type { RegistryDeps } from '../registry/registry-deps.ts';
import type { ResourceRequest, WriteRequest } from '../registry/request.ts';
import { apiVersionOf, type ResourceDefinition, type ScalePaths } from '../registry/resource-definition.ts';
import { replaceObject, uidConflict } from '../registry/update-object.ts';
import { selectorText } from './selector-text.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** What the scale subresource shows of an object. */
function scaleOf(resource: ResourceDefinition, object: JsonObject): JsonObject {
  const paths = resource.scale as ScalePaths;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metaOf(object);
  const found = at(object, ...paths.specReplicas);
  if (found === undefined && resource.crd) {
    throw internalError(`the spec replicas field ".${paths.specReplicas.join('.')}" does not exist`);
  }
  const replicas = asNumber(found);
  const selector = paths.selector ? at(object, ...paths.selector) : undefined;
  const text = isObject(selector) ? selectorText(selector) : asString(selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: asNumber(at(object, ...paths.statusReplicas)), ...(text ? { selector: text } : {}) },
  };
}

export const getScale = (deps: RegistryDeps, request: ResourceRequest): JsonObject =>
  scaleOf(request.resource, getObject(deps, request));

/** Sets replicas through the scale subresource. Throws ApiError. */
export async function updateScale(deps: RegistryDeps, request: WriteRequest, body: unknown): Promise<JsonObject> {
  getObject(deps, request);
  const scale = await decodeBody(request, deps.kinds.named(scaleKind), body);
  checkName(scale, request.name);
  return write(deps, request, (live) => updateManagedFields(live, scale, writeOf(deps, request)));
}

/** Patches the scale subresource with any kind of patch. Throws ApiError. */
export function patchScale(deps: RegistryDeps, request: WriteRequest, patch: PatchBody): Promise<JsonObject> {
  const kind = deps.kinds.named(scaleKind);
  const options = writeOf(deps, request);
  if (patch.type === 'apply') {
    const { body, force } = patch;
    if (!isObject(body)) throw badRequest('error decoding YAML: not an object');
    const empty = kind.decode({}).object;
    return write(deps, request, (live) =>
      applying(() => applyConfiguration(live, body, { ...options, kind: kind.kind, force, empty })),
    );
  }
  const result = patchFunction({ kinds: { ...deps.kinds, of: () => kind } }, request, patch);
  return write(deps, request, (live) => updateManagedFields(live, result(live), options));
}

/** A write of a Scale, as field ownership sees it. */
function writeOf(deps: RegistryDeps, request: WriteRequest): Write {
  return {
    apiVersion: apiVersionOf(scaleKind),
    schema: deps.kinds.named(scaleKind).schema,
    manager: request.fieldManager,
    subresource: 'scale',
    now: timestamp(deps.clock.now()),
  };
}

/** What `change` makes of the Scale becomes the object's number of replicas, and the owner of that. */
async function write(
  deps: RegistryDeps,
  request: WriteRequest,
  change: (scale: JsonObject) => JsonObject,
): Promise<JsonObject> {
  const { resource, name } = request;
  const path = (resource.scale as ScalePaths).specReplicas;
  const ownedPath = path.map((key) => `f:${key}`);
  const { object } = await replaceObject(
    deps,
    request,
    (old) => {
      const { managedFields: owners } = metaOf(old);
      const managedFields = scaleManagedFields(owners, ownedPath);
      const scale = change(withMeta(scaleOf(resource, old), { managedFields }));
      const replicas = asNumber(asObject(scale.spec).replicas);
      if (replicas < 0 && !resource.crd) {
        const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
        throw invalid(scaleKind, name, [{ type: 'FieldValueInvalid', field: 'spec.replicas', message }]);
      }
      const { uid, resourceVersion, managedFields: scaled } = metaOf(scale);
      if (uid && uid !== uidOf(old)) throw uidConflict(request, asString(uid), uidOf(old));
      return withMeta(withAt(old, path, replicas), {
        uid,
        resourceVersion,
        managedFields: parentManagedFields(owners, scaled, apiVersionOf(resource), ownedPath),
      });
    },
    {
      unconditional: true,
      owned: true,
      shownAs: {
        kind: scaleKind,
        show: (whole) => scaleOf(resource, whole),
        take: (whole, scale) => withAt(whole, path, asNumber(asObject(scale.spec).replicas)),
      },
    },
  );
  await deps.store.committed();
  return scaleOf(resource, object);
}
