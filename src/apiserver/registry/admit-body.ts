import type { JsonObject } from '../kind.ts';
import type { AdmissionRequest } from './admission-chain.ts';
import { readerOf } from './object-reader.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import type { GroupVersionKind } from './resource-definition.ts';

/** Puts the body of a subresource that acts rather than stores before admission. Resolves to what admission makes of it. */
export async function admitBody(
  deps: RegistryDeps,
  request: WriteRequest,
  body: JsonObject,
  kind: GroupVersionKind,
): Promise<JsonObject> {
  const asked: AdmissionRequest = { operation: 'CREATE', request, object: body, objects: readerOf(deps.store), kind };
  const mutated = deps.admission.mutate(asked);
  const object = mutated instanceof Promise ? await mutated : mutated;
  const admitted = deps.admission.validate({ ...asked, object });
  if (admitted instanceof Promise) await admitted;
  return object;
}
