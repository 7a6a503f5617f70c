import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type {
  CSINode,
  DaemonSet,
  KubeObject,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
  VolumeAttachment,
} from '../kube/objects.ts';

/** Reads from a cache that a watch keeps up to date; may lag behind the API by a moment. */
export interface Lister<T extends KubeObject> {
  get(name: string, namespace?: string): T | undefined;
  list(): readonly T[];
}

/** One lister for each kind that scheduling and disruption look at. */
export interface Listers {
  readonly nodePools: Lister<NodePool>;
  readonly nodeClaims: Lister<NodeClaim>;
  readonly nodes: Lister<Node>;
  readonly pods: Lister<Pod>;
  readonly daemonSets: Lister<DaemonSet>;
  readonly namespaces: Lister<Namespace>;
  readonly persistentVolumeClaims: Lister<PersistentVolumeClaim>;
  readonly persistentVolumes: Lister<PersistentVolume>;
  readonly storageClasses: Lister<StorageClass>;
  readonly csiNodes: Lister<CSINode>;
  readonly podDisruptionBudgets: Lister<PodDisruptionBudget>;
  readonly volumeAttachments: Lister<VolumeAttachment>;
}
