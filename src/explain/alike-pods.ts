import type { Pod } from '../kube/objects.ts';
import { isTerminal, isTerminating } from '../kube/pods.ts';

/** Pods of one owner in one state: what is true of the first is true of all of them, by and large. Owners in order. */
export function alikePods(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  return [...Map.groupBy(pods, keyOf).values()];
}

function keyOf(pod: Pod): string {
  const { uid, ownerReferences = [] } = pod.metadata;
  const owner = ownerReferences.find(({ controller }) => controller)?.uid ?? uid ?? pod.metadata.name;
  const gone = isTerminal(pod) || isTerminating(pod);
  return `${owner} ${gone ? 'gone' : pod.spec.nodeName ? 'placed' : 'waiting'}`;
}
