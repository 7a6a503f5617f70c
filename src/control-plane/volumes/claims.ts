import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Volume } from '../../kube/objects.ts';
import { controllerOf } from '../../kube/pods.ts';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
/** Names a class whose volumes are made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** The class a claim or volume names; empty for none. */
export const classNameOf = ({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string =>
  metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName ?? '';

export const isDelayed = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === 'WaitForFirstConsumer';

/** Claim and volume both know of each other. */
export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  Boolean(spec.volumeName) && metadata.annotations?.[BIND_COMPLETED] !== undefined;

/** Whether the volume's reference is to this claim; without a uid in it, the name decides. */
export function refersTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  if (claimRef?.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** A claim that one of a pod's volumes stands for. */
export interface PodClaim {
  readonly name: string;
  /** Made from the pod's own template, and the pod's to have. */
  readonly ephemeral: boolean;
}

const claimOf = (pod: Pod, volume: Volume): PodClaim | undefined => {
  const claimName = volume.persistentVolumeClaim?.claimName;
  if (claimName !== undefined) return { name: claimName, ephemeral: false };
  return volume.ephemeral === undefined ? undefined : { name: `${pod.metadata.name}-${volume.name}`, ephemeral: true };
};

export const podClaims = (pod: Pod): readonly PodClaim[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimOf(pod, volume) ?? []);

/** Whether a claim was made for this pod. */
export const isForPod = (claim: PersistentVolumeClaim, pod: Pod): boolean =>
  controllerOf(claim)?.uid === pod.metadata.uid;
