import type { Pod } from '../../kube/objects.ts';
import { podClaims } from '../volumes/claims.ts';

/**
 * A text that is equal for pods which the same cluster treats alike, such as the replicas of one workload; undefined for
 * pods with claims, whose volumes are their own.
 */
export function schedulingShape(pod: Pod): string | undefined {
  if (podClaims(pod).length > 0) return undefined;
  const { metadata, spec, status } = pod;
  const containers = (list: Pod['spec']['containers'] | undefined) =>
    list?.map(({ resources, ports, restartPolicy }) => [resources?.requests, ports, restartPolicy]);
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    containers(spec.containers),
    containers(spec.initContainers),
    spec.resources?.requests,
    spec.overhead,
    spec.priority,
    spec.preemptionPolicy,
    spec.nodeSelector,
    spec.affinity,
    spec.tolerations,
    spec.topologySpreadConstraints,
    status?.nominatedNodeName,
    // A pod that is being resized counts with what it holds.
    status?.containerStatuses?.map(({ resources, allocatedResources }) => [resources, allocatedResources]),
  ]);
}
