import { ApiError } from '../../kube/errors.ts';
import { badRequest, invalid, refusal, tooLarge } from '../api-refusals.ts';
import { asObject, asString, isObject, timestamp } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { metaOf, nameOf, withMeta } from '../object-meta.ts';
import { applyJsonMergePatch, applyJsonPatch, applyStrategicMergePatch, PatchError } from '../patch/index.ts';
import { withRequestNamespace } from './check-namespace.ts';
import { decodeObject } from './decode-body.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { apiVersionOf } from './resource-definition.ts';
import { replaceObject, type Written } from './update-object.ts';

export type PatchBody =
  | { readonly type: 'json' | 'merge' | 'strategic'; readonly body: Json }
  | { readonly type: 'apply'; readonly body: Json; readonly force: boolean };

/** The patch verb. Resolves to what is stored once it would survive a crash. Throws ApiError. */
export async function patchObject(deps: RegistryDeps, request: WriteRequest, patch: PatchBody): Promise<Written> {
  await deps.kinds.of(request.resource).prepare?.();
  const written = patch.type === 'apply' ? applied(deps, request, patch) : patched(deps, request, patch);
  await deps.store.committed();
  return written;
}

type PlainPatch = PatchBody & { readonly type: 'json' | 'merge' | 'strategic' };

function patched(deps: RegistryDeps, request: WriteRequest, patch: PlainPatch): Written {
  const { name } = request;
  const kind = deps.kinds.of(request.resource);
  const result = patchFunction(deps, request, patch);
  return replaceObject(
    deps,
    request,
    (old) => {
      const object = withRequestNamespace(request, decodePatched(result(old)));
      if (nameOf(object) !== name) {
        throw badRequest(`the name of the object (${nameOf(object)}) does not match the name on the URL (${name})`);
      }
      return object;
    },
    { unconditional: true },
  );

  function decodePatched(changed: JsonObject): JsonObject {
    try {
      return decodeObject(request, kind, changed);
    } catch (error) {
      const message = error instanceof ApiError ? error.message : String(error);
      const why = /cannot be handled as an? \w+: (.*)$/s.exec(message)?.[1];
      if (why === undefined || why.startsWith('strict decoding error')) throw error;
      throw invalidPatch(request, patch, why);
    }
  }
}

/** 422 about the patch as a whole, as when its result can't be decoded. */
function invalidPatch({ resource }: WriteRequest, patch: PatchBody, why: string): ApiError {
  const error = {
    type: 'FieldValueInvalid',
    field: 'patch',
    message: `Invalid value: ${JSON.stringify(JSON.stringify(patch.body))}: ${why}`,
  } as const;
  return invalid(resource, '', [error]);
}

/** How a patch changes an object. Throws ApiError for a body that is no patch. */
export function patchFunction(
  deps: Pick<RegistryDeps, 'kinds'>,
  request: WriteRequest,
  patch: PlainPatch,
): (old: JsonObject) => JsonObject {
  const { body } = patch;
  if (patch.type === 'json') return (old) => refusing(() => asObject(applyJsonPatch(old, body)));
  if (!isObject(body)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonType(body)} into Go value of type map[string]interface {}`,
    );
  }
  if (patch.type === 'merge') return (old) => applyJsonMergePatch(old, body);
  const { schema } = deps.kinds.of(request.resource);
  return (old) => refusing(() => applyStrategicMergePatch(old, body, schema));
}

function refusing(apply: () => JsonObject): JsonObject {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw patchRefusal(error);
  }
}

function patchRefusal({ status, message }: PatchError): ApiError {
  switch (status) {
    case 400:
      return badRequest(message);
    case 413:
      return tooLarge(message);
    case 422:
      return refusal(422, 'Invalid', message, {});
    default:
      return refusal(500, '', message);
  }
}

const jsonType = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;

function applied(deps: RegistryDeps, request: WriteRequest, patch: PatchBody & { readonly type: 'apply' }): Written {
  const { resource, name, subresource } = request;
  const kind = deps.kinds.of(resource);
  const body = checkedConfiguration(request, patch.body);
  const change = { resource, manager: request.fieldManager, subresource, now: timestamp(deps.clock.now()) };
  decodeObject(request, kind, body);
  return replaceObject(
    deps,
    request,
    (old) => {
      const live = Object.keys(old).length > 0 ? old : undefined;
      const merged = deps.fields.apply(change, live, withRequestNamespace(request, body), patch.force);
      if (merged === live) return live;
      const object = decodeObject({ ...request, fieldValidation: 'Ignore' }, kind, merged);
      if (nameOf(object) !== name) {
        throw badRequest(`the name of the object (${nameOf(object)}) does not match the name on the URL (${name})`);
      }
      return object;
    },
    { make: subresource === '', owned: true, unconditional: true },
  );
}

function checkedConfiguration({ resource, name }: WriteRequest, body: Json): JsonObject {
  if (!isObject(body)) throw badRequest('error decoding YAML: not an object');
  const meta = metaOf(body);
  if (Array.isArray(meta.managedFields) && meta.managedFields.length > 0) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const apiVersion = asString(body.apiVersion);
  const expected = apiVersionOf(resource);
  if (apiVersion && apiVersion !== expected) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${apiVersion}, expected: ${expected}`,
    );
  }
  return meta.name === undefined ? withMeta(body, { name }) : body;
}
