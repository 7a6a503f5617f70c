import type { Change } from '../kube/informer.ts';
import { refKey } from '../kube/object-key.ts';
import type { KubeObject } from '../kube/objects.ts';
import { controllerOf } from '../kube/pods.ts';

/** Maps a change of a dependent to the key of its controller of this kind, before and after the change. */
export function toController<T extends KubeObject>(kind: string): (change: Change<T>) => readonly string[] {
  return ({ object, old }) => {
    const keys = new Set<string>();
    for (const version of [object, old]) {
      const owner = version && controllerOf(version);
      if (version && owner?.kind === kind) {
        keys.add(refKey({ name: owner.name, namespace: version.metadata.namespace }));
      }
    }
    return [...keys];
  };
}
