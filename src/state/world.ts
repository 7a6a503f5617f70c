import type { PoolAndTypes, World } from '../scheduling/types.ts';
import type { Cluster } from './cluster.ts';
import type { Listers } from './listers.ts';

/**
 * Freezes the cluster as it is now. Cheap: lists are copied, objects are shared. Pods that wait for a claim whose launch
 * keeps failing are left out: what was planned for them stands, and nothing else may wait for it.
 */
export function worldOf(cluster: Cluster, listers: Listers, pools: readonly PoolAndTypes[], now: number): World {
  const stalled = cluster.stalledPods();
  const pods = listers.pods.list();
  return {
    pools,
    // Nodes before pods: a pod that binds in between is counted twice rather than not at all (karpenter-core.md 3.3.2).
    nodes: cluster.nodes(),
    unnotedNodes: cluster.unnotedNodes(),
    stalledClaims: cluster.stalledClaims(),
    pods: stalled.size === 0 ? pods : pods.filter((pod) => pod.spec.nodeName || !stalled.has(pod.metadata.uid ?? '')),
    daemonSets: listers.daemonSets.list(),
    namespaces: listers.namespaces.list(),
    persistentVolumeClaims: listers.persistentVolumeClaims.list(),
    persistentVolumes: listers.persistentVolumes.list(),
    storageClasses: listers.storageClasses.list(),
    csiNodes: listers.csiNodes.list(),
    podDisruptionBudgets: listers.podDisruptionBudgets.list(),
    limitRanges: listers.limitRanges.list(),
    now,
  };
}
