import type { Informers } from '../../../kube/informers.ts';
import { refKey } from '../../../kube/object-key.ts';
import type { Node, Pod, Volume } from '../../../kube/objects.ts';
import { PersistentVolumeClaims, Pods, VolumeAttachments } from '../../../kube/resources.ts';
import { isDrainable } from '../../../scheduling/pod-lifecycle.ts';
import { BY_NODE_NAME } from '../../indexes.ts';

function claimName(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral ? `${pod.metadata.name}-${volume.name}` : undefined;
}

/**
 * Names of the attachments that the node's end has to wait for. Volumes of pods that a drain leaves alone stay attached
 * anyway, and those that are no PersistentVolume are not ours to know (karpenter-core.md 6.5).
 */
export function pendingVolumes(informers: Informers, node: Node, now: number): readonly string[] {
  const attachments = informers.reader(VolumeAttachments).byIndex(BY_NODE_NAME, node.metadata.name);
  if (attachments.length === 0) return [];
  const claims = informers.reader(PersistentVolumeClaims);
  const kept = new Set<string | undefined>([undefined]);
  for (const pod of informers.reader(Pods).byIndex(BY_NODE_NAME, node.metadata.name)) {
    if (isDrainable(pod, now)) continue;
    for (const volume of pod.spec.volumes ?? []) {
      const name = claimName(pod, volume);
      if (name === undefined) continue;
      const namespace = pod.metadata.namespace ?? '';
      kept.add(claims.get(refKey({ name, namespace }))?.spec.volumeName);
    }
  }
  return attachments
    .filter(({ spec }) => !kept.has(spec.source.persistentVolumeName))
    .map((attachment) => attachment.metadata.name)
    .sort();
}
