import { badRequest } from '../api-refusals.ts';
import { asString, isObject } from '../json.ts';
import { FieldTypeError, type JsonObject, type Kind } from '../kind.ts';
import type { WriteRequest } from './request.ts';
import { apiVersionOf } from './resource-definition.ts';

/**
 * A request's body as an object of `kind`: checked for the right type, without unknown fields, defaulted. `target` is
 * the kind in the words of the refusal. Throws ApiError 400; warns where the client asked for warnings.
 */
export async function decodeBody(request: WriteRequest, kind: Kind, body: unknown): Promise<JsonObject> {
  if (!isObject(body))
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): not an object`);
  const expected = apiVersionOf(kind);
  const apiVersion = asString(body.apiVersion) || expected;
  const name = asString(body.kind) || kind.kind;
  if (name !== kind.kind && request.resource.crd === undefined) {
    const version = apiVersion.split('/').at(-1);
    throw badRequest(
      `${name} in version "${version}" cannot be handled as a ${kind.kind}: converting (${version}.${name}) to (${internalPackage(kind)}.${kind.kind}): unknown conversion`,
    );
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  await kind.prepare?.(body);
  return decodeObject(request, kind, { ...body, apiVersion, kind: name });
}

/** As `decodeBody`, for an object that is known to be of the kind: after a patch. */
export function decodeObject(request: WriteRequest, kind: Kind, body: JsonObject): JsonObject {
  try {
    const { object, unknown } = kind.decode(body);
    const { lenient, strict } = request.faults?.(unknown) ?? { lenient: unknown, strict: unknown };
    if (strict.length > 0) {
      if (request.fieldValidation === 'Strict') {
        throw badRequest(
          `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${strict.join(', ')}`,
        );
      }
      if (request.fieldValidation === 'Warn') for (const text of lenient) request.warn(text);
    }
    return kind.applyDefaults(object);
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error;
    throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${error.message}`);
  }
}

/** The name of upstream's internal package, which its messages show. */
export const internalPackage = ({ group }: { readonly group: string }): string =>
  group === '' ? 'core' : (group.split('.')[0] ?? group);
