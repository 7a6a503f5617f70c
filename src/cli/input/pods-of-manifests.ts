import type { KubeObject, Pod } from '../../kube/objects.ts';
import { isOwnedByDaemonSet } from '../../scheduling/pod-lifecycle.ts';

/**
 * Pods that no cluster has seen, as they are written in manifests, become pods that wait for a node: with no scheduler at
 * hand, whoever asks about such a pod asks where it would go. An empty status is what kubectl writes into them. Pods that
 * were saved from a cluster stay as they are.
 */
export function podsOfManifests(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map((object) =>
    object.kind === 'Pod' && object.apiVersion === 'v1' && isUnseen(object as Pod) ? waiting(object as Pod) : object,
  );
}

function isUnseen(pod: Pod): boolean {
  const { nodeName, schedulingGates = [] } = pod.spec;
  return (
    pod.metadata.uid === undefined &&
    Object.keys(pod.status ?? {}).length === 0 &&
    !nodeName &&
    schedulingGates.length === 0 &&
    !isOwnedByDaemonSet(pod)
  );
}

function waiting(pod: Pod): Pod {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;
  return { ...pod, status: { phase: 'Pending', conditions: [condition] } };
}
