import type { CustomResourceDefinition } from '../../apis/crds/definition.ts';
import { withStorageVersion } from '../crd/definition/definition-status.ts';
import { asObject, asObjects, timestamp } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { metaOf, nameOf, withMeta } from '../object-meta.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { hasSubresource } from './resource-definition.ts';
import { keepServiceAddresses } from './service-addresses.ts';

const certificateRequests = 'certificates.k8s.io/certificatesigningrequests';

/** The update with what its endpoint may not change put back (the PrepareForUpdate of upstream's strategies). */
export function prepareUpdate(
  deps: RegistryDeps,
  request: WriteRequest,
  object: JsonObject,
  old: JsonObject,
): JsonObject {
  const { resource, subresource } = request;
  if (subresource === 'status') {
    const own = statusOnly(request, object, old);
    return resource.collection === certificateRequests ? certificateStatus(deps, own, old) : own;
  }
  let next = object;
  if (hasSubresource(resource, 'status')) next = withOwn(next, 'status', old);
  if (subresource === 'approval') next = approval(deps, object, old);
  switch (resource.collection) {
    case 'namespaces': {
      const labels = { ...asObject(metaOf(next).labels), 'kubernetes.io/metadata.name': nameOf(next) };
      if (subresource === 'finalize') return withMeta(next, { labels });
      return withMeta(withOwn(next, 'spec', old), { labels });
    }
    case 'apiextensions.k8s.io/customresourcedefinitions': {
      const storedVersions = withStorageVersion(next as unknown as CustomResourceDefinition);
      return { ...next, status: { ...asObject(next.status), storedVersions } };
    }
    case 'services':
      return keepServiceAddresses(deps, request, next, old);
    case certificateRequests:
      return withOwn(next, 'spec', old);
    default:
      return next;
  }
}

/** Conditions with times where they have none. */
function withTimes({ clock }: RegistryDeps, object: JsonObject, old: JsonObject): readonly JsonObject[] {
  const now = timestamp(clock.now());
  return asObjects(asObject(object.status).conditions).map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? sinceWhen(condition, old) ?? now,
  }));
}

/** Since when a condition holds that held before. */
const sinceWhen = (condition: JsonObject, old: JsonObject): Json | undefined =>
  asObjects(asObject(old.status).conditions).find(
    ({ type, status }) => type === condition.type && status === condition.status,
  )?.lastTransitionTime;

/** The approval endpoint of certificate requests: conditions only. */
const approval = (deps: RegistryDeps, object: JsonObject, old: JsonObject): JsonObject => ({
  ...object,
  status: { ...asObject(old.status), conditions: withTimes(deps, object, old) },
});

/** The status endpoint of certificate requests: decisions stay as they are, as long as there are as many of them. */
function certificateStatus(deps: RegistryDeps, object: JsonObject, old: JsonObject): JsonObject {
  const status = asObject(object.status);
  const decided = (type: string): readonly JsonObject[] =>
    asObjects(asObject(old.status).conditions).filter((condition) => condition.type === type);
  let conditions = asObjects(status.conditions);
  for (const type of ['Approved', 'Denied']) {
    const before = [...decided(type)];
    if (before.length !== conditions.filter((condition) => condition.type === type).length) continue;
    conditions = conditions.map((condition) => (condition.type === type ? (before.shift() ?? condition) : condition));
  }
  if (conditions.length === 0) return object;
  return {
    ...object,
    status: { ...status, conditions: withTimes(deps, { status: { conditions } }, old) },
  };
}

/** The status endpoint: the rest stays, but for metadata, which most built-in kinds take from it. */
function statusOnly({ resource }: WriteRequest, object: JsonObject, old: JsonObject): JsonObject {
  const next = withOwn({ ...old, metadata: object.metadata }, 'status', object);
  if (resource.crd)
    return { ...next, metadata: withMeta(old, { managedFields: metaOf(object).managedFields }).metadata };
  if (resource.collection === 'apps/deployments') return withMeta(next, { labels: metaOf(old).labels });
  return next;
}

/** `object` with a field as `from` has it, or without it. */
function withOwn(object: JsonObject, key: string, from: JsonObject): JsonObject {
  if (from[key] !== undefined) return { ...object, [key]: from[key] };
  const { [key]: _, ...rest } = object;
  return rest;
}
