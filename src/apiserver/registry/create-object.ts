import { alreadyExists, badRequest, invalid } from '../api-refusals.ts';
import { asString, timestamp } from '../json.ts';
import type { FieldError, JsonObject, Kind } from '../kind.ts';
import { metaOf, nameOf, withMeta } from '../object-meta.ts';
import { checkDefinitionTakes } from './check-definition.ts';
import { checkNamespaceTakes, withRequestNamespace } from './check-namespace.ts';
import { checkSize } from './check-size.ts';
import { decodeBody } from './decode-body.ts';
import { withInitialStatus } from './initial-status.ts';
import { objectKey } from './object-key.ts';
import { readerOf } from './object-reader.ts';
import { withDistinctOwners } from './owner-references.ts';
import { prepareNew } from './prepare-new.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { groupKindOf, groupResourceOf, hasSubresource } from './resource-definition.ts';
import { fromStorage, toStorage } from './version-conversion.ts';

const longestGenerated = 63;
const suffixLength = 5;

/** What the server sets, whatever a new object says. */
const notForClients = {
  uid: undefined,
  creationTimestamp: undefined,
  resourceVersion: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  selfLink: undefined,
  generation: undefined,
};

/** The create verb. Resolves to what is stored once it would survive a crash. Throws ApiError. */
export async function createObject(deps: RegistryDeps, request: WriteRequest, body: unknown): Promise<JsonObject> {
  const kind = deps.kinds.of(request.resource);
  const decoded = await decodeBody(request, kind, body);
  const created = await storeNew(deps, request, decoded);
  await deps.store.committed();
  return created;
}

/**
 * Names, admits, validates and stores a decoded object: in one step before this returns, unless admission has to wait for
 * somebody.
 */
export async function storeNew(
  deps: RegistryDeps,
  request: WriteRequest,
  decoded: JsonObject,
  options: { readonly owned?: boolean } = {},
): Promise<JsonObject> {
  const { resource, fieldManager: manager } = request;
  const kind = deps.kinds.of(resource);
  const of = groupResourceOf(resource);
  const placed = withRequestNamespace(request, decoded);
  let name = nameOf(placed) || generatedName(deps, placed);
  if (request.name && request.name !== name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
  }
  if (asString(metaOf(placed).resourceVersion)) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  checkNamespaceTakes(deps, request, name);
  checkDefinitionTakes(deps, request, name);
  const now = deps.clock.now();
  const objects = readerOf(deps.store);
  const given = withMeta(withDistinctOwners(request, placed), notForClients);
  const mutated = deps.admission.mutate({ operation: 'CREATE', request, object: given, objects });
  let object = mutated instanceof Promise ? await mutated : mutated;
  name = nameOf(object) || name;
  object = withMeta(object, {
    ...(name ? { name } : {}),
    uid: deps.random.uuid(),
    creationTimestamp: timestamp(now),
    ...(resource.generation === 'none' ? {} : { generation: 1 }),
  });
  if (hasSubresource(resource, 'status')) object = withInitialStatus(resource.collection, object);
  object = prepareNew(deps, request, object);
  const errors = [...kind.validateCreate(object), ...floatErrors(kind, request)];
  const subject = { ...groupKindOf(resource), kind: asString(object.kind) || resource.kind };
  if (errors.length > 0) throw invalid(subject, name, errors);
  for (const text of kind.warnings?.(object) ?? []) request.warn(text);
  if (!options.owned) object = deps.fields.update({ resource, manager, subresource: '', now: timestamp(now) }, object);
  const admitted = deps.admission.validate({ operation: 'CREATE', request, object, objects });
  if (admitted instanceof Promise) await admitted;
  const key = objectKey(resource, request.namespace, name);
  if (deps.store.get(resource.collection, key)) throw alreadyExists(of, name);
  checkSize(request, object);
  if (request.dryRun) return object;
  // What was cleared above (a status, say) may have defaults of its own, which reading from storage fills in.
  const stored = toStorage(resource, kind.applyDefaults(object));
  return fromStorage(resource, deps.store.put(resource.collection, key, stored));
}

/** What a kind has against numbers of the body that are whole but not written so. */
export const floatErrors = (kind: Kind, { floats, subresource }: WriteRequest): readonly FieldError[] =>
  floats === undefined ? [] : (kind.validateFloats?.(floats, subresource) ?? []);

/** A name for an object that leaves it to the server; empty where it doesn't. */
function generatedName({ random }: RegistryDeps, object: JsonObject): string {
  const base = asString(metaOf(object).generateName).slice(0, longestGenerated - suffixLength);
  return base === '' ? '' : base + random.suffix(suffixLength);
}
