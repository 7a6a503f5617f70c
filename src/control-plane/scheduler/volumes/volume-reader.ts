import type { Informers } from '../../../kube/informers.ts';
import type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from '../../../kube/objects.ts';
import {
  CSINodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
  VolumeAttachments,
} from '../../../kube/resources.ts';
import type { Reader } from '../../../kube/store.ts';
import { classNameOf, isDelayed, isForPod, isFullyBound, podClaims } from '../../volumes/claims.ts';

/** The claims of a pod by what has to be done about them, or why the pod can't be scheduled at all. */
export type PodClaims =
  | { readonly problem: string }
  | {
      readonly bound: readonly PersistentVolumeClaim[];
      /** They wait for the scheduler to choose a node. */
      readonly delayed: readonly PersistentVolumeClaim[];
      /** They wait for the volume controller. */
      readonly immediate: readonly PersistentVolumeClaim[];
    };

/** What the scheduler reads about storage. */
export class VolumeReader {
  readonly claims: Reader<PersistentVolumeClaim>;
  readonly volumes: Reader<PersistentVolume>;
  readonly classes: Reader<StorageClass>;
  readonly csiNodes: Reader<CSINode>;
  readonly attachments: Reader<VolumeAttachment>;

  constructor(informers: Informers) {
    this.claims = informers.reader(PersistentVolumeClaims);
    this.volumes = informers.reader(PersistentVolumes);
    this.classes = informers.reader(StorageClasses);
    this.csiNodes = informers.reader(CSINodes);
    const attachments = informers.for(VolumeAttachments);
    attachments.addIndex('node', ({ spec }) => [spec.nodeName]);
    this.attachments = attachments.store;
  }

  claimOf(pod: Pod, name: string): PersistentVolumeClaim | undefined {
    return this.claims.get(`${pod.metadata.namespace}/${name}`);
  }

  /** Undefined for a pod without claims. */
  podClaims(pod: Pod): PodClaims | undefined {
    const names = podClaims(pod);
    if (names.length === 0) return undefined;
    const bound: PersistentVolumeClaim[] = [];
    const delayed: PersistentVolumeClaim[] = [];
    const immediate: PersistentVolumeClaim[] = [];
    for (const { name, ephemeral } of names) {
      const claim = this.claimOf(pod, name);
      const problem = claimProblem(pod, name, ephemeral, claim);
      if (claim === undefined || problem !== undefined) return { problem: problem ?? '' };
      if (isFullyBound(claim)) bound.push(claim);
      else if (!claim.spec.volumeName && isDelayed(this.classes.get(classNameOf(claim)))) delayed.push(claim);
      else immediate.push(claim);
    }
    return { bound, delayed, immediate };
  }
}

function claimProblem(
  pod: Pod,
  name: string,
  ephemeral: boolean,
  claim: PersistentVolumeClaim | undefined,
): string | undefined {
  if (claim === undefined) {
    return ephemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  if (ephemeral && !isForPod(claim, pod)) {
    const { namespace } = claim.metadata;
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
  }
  return undefined;
}
