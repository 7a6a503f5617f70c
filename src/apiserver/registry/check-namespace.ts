import { badRequest, forbidden, notFound } from '../api-refusals.ts';
import { asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, nameOf, namespaceOf, withMeta } from '../object-meta.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { groupResourceOf } from './resource-definition.ts';

/** The object with the request's namespace. Throws ApiError 400 if it names another one. */
export function withRequestNamespace({ resource, namespace }: WriteRequest, object: JsonObject): JsonObject {
  const own = namespaceOf(object);
  if (!resource.namespaced) {
    if (own) throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    return object;
  }
  if (own === namespace) return object;
  if (own) throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return withMeta(object, { namespace });
}

/** Throws ApiError 400 for an object that doesn't have the name on the URL. */
export function checkName(object: JsonObject, name: string): void {
  const own = nameOf(object);
  if (own === name) return;
  throw badRequest(
    own === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${own}) does not match the name on the URL (${name})`,
  );
}

/** NamespaceLifecycle of upstream's admission: objects are made in namespaces that exist and stay. */
export function checkNamespaceTakes({ store }: RegistryDeps, request: WriteRequest, name: string): void {
  const { resource, namespace } = request;
  if (!resource.namespaced || resource.group === 'authorization.k8s.io') return;
  const found = store.get('namespaces', namespace);
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (!isDeleting(found) && asString((found.status as JsonObject | undefined)?.phase) !== 'Terminating') return;
  throw forbidden(
    groupResourceOf(resource),
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}
