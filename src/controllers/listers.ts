import type { Informers } from '../kube/informers.ts';
import {
  CSINodes,
  DaemonSets,
  LimitRanges,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
  StorageClasses,
} from '../kube/resources.ts';
import type { Listers } from '../state/listers.ts';

/** The caches behind every World. */
export function listersOf(informers: Informers): Listers {
  return {
    pods: informers.reader(Pods),
    daemonSets: informers.reader(DaemonSets),
    namespaces: informers.reader(Namespaces),
    persistentVolumeClaims: informers.reader(PersistentVolumeClaims),
    persistentVolumes: informers.reader(PersistentVolumes),
    storageClasses: informers.reader(StorageClasses),
    csiNodes: informers.reader(CSINodes),
    podDisruptionBudgets: informers.reader(PodDisruptionBudgets),
    limitRanges: informers.reader(LimitRanges),
  };
}
