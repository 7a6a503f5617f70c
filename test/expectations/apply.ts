import type { Resource } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import type { TestEnvironment } from '../environment.ts';

/** Creates objects, status included; answers them as the API has them. */
export async function applied<T extends KubeObject>(
  { client }: TestEnvironment,
  resource: Resource<T>,
  ...objects: readonly T[]
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const object of objects) {
    const created = await client.create(resource, object);
    const { status } = object as { readonly status?: unknown };
    if (status === undefined) {
      results.push(created);
      continue;
    }
    const { name, namespace } = created.metadata;
    const ref = namespace ? { name, namespace } : { name };
    const patch = { type: 'merge', body: { status } } as const;
    results.push(await client.patch(resource, ref, patch, { subresource: 'status' }));
  }
  return results;
}

/** Changes an object by a merge patch. */
export async function patched<T extends KubeObject>(
  { client }: TestEnvironment,
  resource: Resource<T>,
  name: string,
  body: object,
): Promise<T> {
  const ref = resource.namespaced ? { name, namespace: 'default' } : { name };
  return await client.patch(resource, ref, { type: 'merge', body });
}
