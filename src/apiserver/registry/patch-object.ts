import type { ApiError } from '../../kube/errors.ts';
import { badRequest, conflict, invalid, refusal, tooLarge } from '../api-refusals.ts';
import { asObject, asString, isObject, timestamp } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { metaOf } from '../object-meta.ts';
import { applyJsonMergePatch, applyJsonPatch, applyStrategicMergePatch, PatchError } from '../patch/index.ts';
import { checkName, withRequestNamespace } from './check-namespace.ts';
import { decodeObject } from './decode-body.ts';
import { decodePatched } from './decode-patched.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { groupResourceOf } from './resource-definition.ts';
import { replaceObject, type Written } from './update-object.ts';

export type PatchBody =
  | {
      readonly type: 'json' | 'merge' | 'strategic';
      readonly body: Json;
      /** As in WriteRequest; a merge patch has the paths of the object. */
      readonly floats?: ReadonlyMap<string, number>;
    }
  | { readonly type: 'apply'; readonly body: Json; readonly force: boolean };

/** The patch verb. Resolves to what is stored once it would survive a crash. Throws ApiError. */
export async function patchObject(deps: RegistryDeps, request: WriteRequest, patch: PatchBody): Promise<Written> {
  await deps.kinds.of(request.resource).prepare?.();
  const written = await (patch.type === 'apply' ? applied(deps, request, patch) : patched(deps, request, patch));
  await deps.store.committed();
  return written;
}

/** A patch that isn't an apply. */
export type PlainPatch = PatchBody & { readonly type: 'json' | 'merge' | 'strategic' };

function patched(deps: RegistryDeps, asked: WriteRequest, patch: PlainPatch): Promise<Written> {
  const request = patch.floats ? { ...asked, floats: patch.floats } : asked;
  const result = patchFunction(deps, request, patch);
  return replaceObject(
    deps,
    request,
    (old) => {
      const object = withRequestNamespace(request, decodePatched(deps, request, patch, result(old)));
      checkName(object, request.name);
      return object;
    },
    { unconditional: true },
  );
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

function applied(
  deps: RegistryDeps,
  request: WriteRequest,
  patch: PatchBody & { readonly type: 'apply' },
): Promise<Written> {
  const { resource, name, subresource } = request;
  const { body, force } = patch;
  if (!isObject(body)) throw badRequest('error decoding YAML: not an object');
  const kind = deps.kinds.of(resource);
  const change = { resource, manager: request.fieldManager, subresource, now: timestamp(deps.clock.now()) };
  return replaceObject(
    deps,
    request,
    (old) => {
      const live = Object.keys(old).length > 0 ? old : undefined;
      const merged = deps.fields.apply(change, live, body, force);
      checkName(merged, name);
      checkUid(request, merged, live);
      const object = withRequestNamespace(request, merged);
      return decodeObject({ ...request, fieldValidation: 'Ignore' }, kind, object);
    },
    { make: subresource === '', owned: true, unconditional: true },
  );
}

/** A configuration may name the object it means by its uid; what it says of another is refused. */
function checkUid({ resource, name }: WriteRequest, merged: JsonObject, live: JsonObject | undefined): void {
  const uid = asString(metaOf(merged).uid);
  if (uid === '' || uid === (live && metaOf(live).uid)) return;
  if (live === undefined) {
    const cause = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(groupResourceOf(resource), name, cause);
  }
  const error = {
    type: 'FieldValueInvalid',
    field: 'metadata.uid',
    message: `Invalid value: ${JSON.stringify(uid)}: field is immutable`,
  } as const;
  // Upstream's validation of metadata and its strategy both say so.
  throw invalid(resource, name, [error, error]);
}
