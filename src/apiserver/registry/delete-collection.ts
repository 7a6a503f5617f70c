import type { ApiError } from '../../kube/errors.ts';
import { isNotFound } from '../../kube/errors.ts';
import { nameOf, namespaceOf } from '../object-meta.ts';
import { type Deleted, type DeleteQuery, removeObject } from './delete-object.ts';
import { listObjects, type ObjectList } from './list-objects.ts';
import type { ListQuery } from './list-options.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';

/** The deletecollection verb: deletes what a list finds, and answers with that list. */
export async function deleteCollection(
  deps: RegistryDeps,
  request: WriteRequest,
  list: ListQuery,
  query: DeleteQuery,
): Promise<ObjectList> {
  const found = listObjects(deps, request, list);
  const deleted: Deleted[] = [];
  for (const object of found.items) {
    try {
      deleted.push(
        await removeObject(deps, { ...request, name: nameOf(object), namespace: namespaceOf(object) }, query),
      );
    } catch (error) {
      if (!isNotFound(error as ApiError)) throw error;
    }
  }
  await deps.store.committed();
  return { ...found, items: deleted.map(({ object }) => object) };
}
