import type { PoolAndTypes, World } from '../scheduling/types.ts';
import type { Cluster } from './cluster.ts';
import type { Listers } from './listers.ts';

/** Freezes the cluster as it is now. Cheap: lists are copied, objects are shared. */
export function worldOf(cluster: Cluster, listers: Listers, pools: readonly PoolAndTypes[], now: number): World {
  return {
    pools,
    // Nodes before pods: a pod that binds in between is counted twice rather than not at all (karpenter-core.md 3.3.2).
    nodes: cluster.nodes(),
    pods: listers.pods.list(),
    daemonSets: listers.daemonSets.list(),
    namespaces: listers.namespaces.list(),
    persistentVolumeClaims: listers.persistentVolumeClaims.list(),
    persistentVolumes: listers.persistentVolumes.list(),
    storageClasses: listers.storageClasses.list(),
    csiNodes: listers.csiNodes.list(),
    podDisruptionBudgets: listers.podDisruptionBudgets.list(),
    now,
  };
}
