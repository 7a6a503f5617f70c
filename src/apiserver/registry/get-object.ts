import { notFound, refusal } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import { tooLargeVersion } from './list-objects.ts';
import { objectKey } from './object-key.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { ResourceRequest } from './request.ts';
import { groupResourceOf } from './resource-definition.ts';

/** The get verb; with a resource version, of an object at least that new. Throws ApiError, 404 for none. */
export function getObject(
  { store, kinds }: RegistryDeps,
  { resource, namespace, name }: ResourceRequest,
  resourceVersion = '',
): JsonObject {
  if (resourceVersion !== '') checkVersion(resourceVersion, store.revision);
  const found = store.get(resource.collection, objectKey(resource, namespace, name));
  if (!found) throw notFound(groupResourceOf(resource), name);
  return kinds.shown(resource, found);
}

function checkVersion(text: string, current: number): void {
  if (!/^\d+$/.test(text)) {
    throw refusal(
      500,
      '',
      `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
    );
  }
  if (Number(text) > current) throw tooLargeVersion(Number(text), current);
}
