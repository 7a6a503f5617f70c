import type { ObjectRef } from './client.ts';
import type { KubeObject } from './objects.ts';

/** `namespace/name`, or `name` for cluster-scoped objects: what stores and work queues are keyed by. */
export const keyOf = (object: KubeObject): string => refKey(object.metadata);

/** The key of a reference; an absent or empty namespace means cluster-scoped. */
export const refKey = ({ name, namespace }: ObjectRef): string => (namespace ? `${namespace}/${name}` : name);

/** The reference that a key stands for. */
export function keyRef(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
