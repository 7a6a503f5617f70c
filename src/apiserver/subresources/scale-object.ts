import { badRequest, invalid } from '../api-refusals.ts';
import { asNumber, asObject, asString, at, isObject, withAt } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf, nameOf, withMeta } from '../object-meta.ts';
import { applyJsonMergePatch } from '../patch/index.ts';
import { decodeBody } from '../registry/decode-body.ts';
import { getObject } from '../registry/get-object.ts';
import { type PatchBody, patchFunction } from '../registry/patch-object.ts';
import type { RegistryDeps } from '../registry/registry-deps.ts';
import type { ResourceRequest, WriteRequest } from '../registry/request.ts';
import type { ResourceDefinition, ScalePaths } from '../registry/resource-definition.ts';
import { replaceObject } from '../registry/update-object.ts';
import { selectorText } from './selector-text.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** What the scale subresource shows of an object. */
export function scaleOf(resource: ResourceDefinition, object: JsonObject): JsonObject {
  const paths = resource.scale as ScalePaths;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metaOf(object);
  const replicas = asNumber(at(object, ...paths.specReplicas));
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
  const kind = deps.kinds.named(scaleKind);
  const scale = await decodeBody(request, kind, body);
  if (nameOf(scale) !== request.name) {
    throw badRequest(
      nameOf(scale)
        ? `the name of the object (${nameOf(scale)}) does not match the name on the URL (${request.name})`
        : 'name must be provided',
    );
  }
  return write(deps, request, () => scale);
}

/** Patches the scale subresource with any kind of patch. Throws ApiError. */
export function patchScale(deps: RegistryDeps, request: WriteRequest, patch: PatchBody): Promise<JsonObject> {
  const kinds = { of: () => deps.kinds.named(scaleKind), named: deps.kinds.named };
  const change =
    patch.type === 'apply'
      ? (scale: JsonObject) => applyJsonMergePatch(scale, asObject(patch.body))
      : patchFunction({ kinds }, request, patch);
  return write(deps, request, change);
}

async function write(
  deps: RegistryDeps,
  request: WriteRequest,
  change: (scale: JsonObject) => JsonObject,
): Promise<JsonObject> {
  const { resource, name } = request;
  const path = (resource.scale as ScalePaths).specReplicas;
  const { object } = replaceObject(
    deps,
    request,
    (old) => {
      const scale = change(scaleOf(resource, old));
      const replicas = asNumber(asObject(scale.spec).replicas);
      if (replicas < 0) {
        const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
        throw invalid(scaleKind, name, [{ type: 'FieldValueInvalid', field: 'spec.replicas', message }]);
      }
      const { uid, resourceVersion } = metaOf(scale);
      return withMeta(withAt(old, path, replicas), { uid, resourceVersion });
    },
    { unconditional: true },
  );
  await deps.store.committed();
  return scaleOf(resource, object);
}
