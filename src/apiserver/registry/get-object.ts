import { notFound } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import { objectKey } from './object-key.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { ResourceRequest } from './request.ts';
import { groupResourceOf } from './resource-definition.ts';
import { fromStorage } from './version-conversion.ts';

/** The get verb. Throws ApiError 404. */
export function getObject({ store }: RegistryDeps, { resource, namespace, name }: ResourceRequest): JsonObject {
  const found = store.get(resource.collection, objectKey(resource, namespace, name));
  if (!found) throw notFound(groupResourceOf(resource), name);
  return fromStorage(resource, found);
}
