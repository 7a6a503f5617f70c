import type { KubeObject } from '../kube/objects.ts';

/** `namespace/name`: how a namespaced object is named in maps, results and messages. */
export function podKey(pod: KubeObject): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
}
