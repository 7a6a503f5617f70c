import type { KubeObject } from '../kube/objects.ts';
import type { ObjectReference } from './object-reference.ts';

/** The namespace that a reference is about; nothing when neither it nor the context says one. */
export function withNamespace(ref: ObjectReference, namespace: string | undefined): { readonly namespace?: string } {
  const used = ref.namespace ?? namespace;
  return used ? { namespace: used } : {};
}

/** By namespace and name; a saved cluster has no current namespace, so there a name that only one object has is enough. */
export function findNamed<T extends KubeObject>(
  ref: ObjectReference,
  objects: readonly T[],
  namespace: string | undefined,
): T | undefined {
  const named = objects.filter(({ metadata }) => metadata.name === ref.name);
  const wanted = ref.namespace ?? namespace;
  if (wanted !== undefined) return named.find(({ metadata }) => (metadata.namespace ?? 'default') === wanted);
  return named.find(({ metadata }) => (metadata.namespace ?? 'default') === 'default') ?? named[0];
}
