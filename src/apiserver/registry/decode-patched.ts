import type { ApiError } from '../../kube/errors.ts';
import { refusal } from '../api-refusals.ts';
import { asString } from '../json.ts';
import { FieldTypeError, type JsonObject, type Kind } from '../kind.ts';
import { metaOf } from '../object-meta.ts';
import { goPrint } from '../patch/index.ts';
import type { PlainPatch } from './patch-object.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { apiVersionOf } from './resource-definition.ts';

/**
 * What a patch made of an object, decoded and with its defaults. What can't be decoded is the patch's fault.
 *
 * @throws ApiError 422 about the patch; warns of unknown fields where the client asked for warnings.
 */
export function decodePatched(
  deps: Pick<RegistryDeps, 'kinds'>,
  request: WriteRequest,
  patch: PlainPatch,
  changed: JsonObject,
): JsonObject {
  const kind = deps.kinds.of(request.resource);
  const refuse = (why: string): ApiError => invalidPatch(shown(patch, changed), why);
  try {
    checkType(deps, kind, changed, refuse);
    const { object, unknown } = kind.decode(changed);
    if (unknown.length > 0) {
      if (request.fieldValidation === 'Strict') throw refuse(`strict decoding error: ${unknown.join(', ')}`);
      if (request.fieldValidation === 'Warn') for (const text of unknown) request.warn(text);
    }
    return kind.applyDefaults(object);
  } catch (error) {
    if (error instanceof FieldTypeError) throw refuse(error.message);
    throw error;
  }
}

/** A patch may not turn an object into one of another kind, or of a version that isn't served. */
function checkType(
  { kinds }: Pick<RegistryDeps, 'kinds'>,
  kind: Kind,
  changed: JsonObject,
  refuse: (why: string) => ApiError,
): void {
  const [apiVersion, name] = [asString(changed.apiVersion), asString(changed.kind)];
  if (apiVersion !== apiVersionOf(kind)) {
    const version = JSON.stringify(apiVersion);
    throw refuse(
      `no kind ${JSON.stringify(name)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (name === kind.kind) return;
  const { group, version } = kind;
  kinds.named({ group, version, kind: name }).decode(changed);
  throw refuse(`unable to decode ${apiVersion}, Kind=${name} into ${apiVersion}, Kind=${kind.kind}`);
}

/** As messages show it: the JSON that came out, or for a strategic patch the patch itself as Go prints it. */
function shown({ type, body }: PlainPatch, changed: JsonObject): string {
  if (type === 'strategic') return goPrint(body);
  const root = Object.keys(changed).sort();
  return JSON.stringify({ ...pick(changed, root), metadata: pick(metaOf(changed), METADATA) });
}

/** Go's order of these fields, the others after them. */
const METADATA = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'];

const pick = (object: JsonObject, first: readonly string[]): JsonObject =>
  Object.fromEntries([...new Set([...first, ...Object.keys(object)])].map((key) => [key, object[key]]));

function invalidPatch(value: string, why: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`;
  return refusal(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}
