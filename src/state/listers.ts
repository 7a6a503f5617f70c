import type {
  CSINode,
  DaemonSet,
  LimitRange,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from '../kube/objects.ts';
import type { Reader } from '../kube/store.ts';

/** What scheduling and disruption look at, from caches that watches keep up to date. */
export interface Listers {
  readonly pods: Pick<Reader<Pod>, 'list'>;
  readonly daemonSets: Pick<Reader<DaemonSet>, 'list'>;
  readonly namespaces: Pick<Reader<Namespace>, 'list'>;
  readonly persistentVolumeClaims: Pick<Reader<PersistentVolumeClaim>, 'list'>;
  readonly persistentVolumes: Pick<Reader<PersistentVolume>, 'list'>;
  readonly storageClasses: Pick<Reader<StorageClass>, 'list'>;
  readonly csiNodes: Pick<Reader<CSINode>, 'list'>;
  readonly podDisruptionBudgets: Pick<Reader<PodDisruptionBudget>, 'list'>;
  readonly limitRanges: Pick<Reader<LimitRange>, 'list'>;
}
