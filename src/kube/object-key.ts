import type { ObjectRef } from './client.ts';
import type { KubeObject } from './objects.ts';

/** `namespace/name`, or `name` for cluster-scoped objects: what stores and work queues are keyed by. */
export const keyOf = (object: KubeObject): string => refKey(object.metadata);

/** The key of a reference; an absent or empty namespace means cluster-scoped. */
export const refKey = ({ name, namespace }: ObjectRef): string => (namespace ? `${namespace}/${name}` : name);
