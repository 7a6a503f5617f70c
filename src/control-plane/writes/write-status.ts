import type { Client, Resource } from '../../kube/client.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { deepEqual } from '../deep-equal.ts';

/**
 * Replaces an object's status if it differs from the one the object has. A conflict is thrown: the object that the
 * status was worked out from is out of date. An object that is gone is no error.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: unknown }>(
  client: Client,
  resource: Resource<T>,
  object: T,
  status: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (deepEqual(object.status, status)) return;
  await client.update(resource, { ...object, status }, { subresource: 'status' }, signal).catch(ignoreNotFound);
}
