import { createHash } from 'node:crypto';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { ignoreNotFound, isAlreadyExists } from '../../kube/errors.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { PersistentVolume, VolumeAttachment } from '../../kube/objects.ts';
import { isTerminal } from '../../kube/pods.ts';
import {
  CSIDrivers,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  VolumeAttachments,
} from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { podsOnNode } from '../indexes.ts';
import { isFullyBound, podClaims } from './claims.ts';

const CLAIM = 'claim of pod';
const NODE = 'node';

/** The name that the CSI attacher of kube-controller-manager gives. */
function attachmentName(driver: string, handle: string, nodeName: string): string {
  const hash = createHash('sha256').update(handle).update(driver).update(nodeName).digest('hex');
  return `csi-${hash}`;
}

function attachment({ metadata, spec }: PersistentVolume, nodeName: string): VolumeAttachment | undefined {
  if (spec.csi === undefined) return undefined;
  const { driver, volumeHandle = '' } = spec.csi;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: attachmentName(driver, volumeHandle, nodeName) },
    spec: { attacher: driver, nodeName, source: { persistentVolumeName: metadata.name } },
  };
}

/**
 * Attaches the volumes of pods to their nodes and takes them off when the last pod has ended, as kube-controller-manager
 * and the CSI attachers together do; attaching and detaching take no time. Attachments made by others are left alone.
 */
export function attachController(deps: ControlPlaneDeps): ControllerSpec {
  const { client, informers } = deps;
  const pods = informers.for(Pods);
  pods.addIndex(CLAIM, (pod) => podClaims(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`));
  const onNode = podsOnNode(informers);
  const attachments = informers.for(VolumeAttachments);
  attachments.addIndex(NODE, ({ spec }) => [spec.nodeName]);
  const claims = informers.reader(PersistentVolumeClaims);
  const volumes = informers.reader(PersistentVolumes);
  const drivers = informers.reader(CSIDrivers);

  const needsAttaching = (driver: string): boolean => {
    const known = drivers.get(driver) as { readonly spec?: { readonly attachRequired?: boolean } } | undefined;
    return known?.spec?.attachRequired !== false;
  };

  function wanted(nodeName: string): ReadonlyMap<string, VolumeAttachment> {
    const result = new Map<string, VolumeAttachment>();
    for (const pod of onNode(nodeName)) {
      if (isTerminal(pod)) continue;
      for (const { name } of podClaims(pod)) {
        const claim = claims.get(`${pod.metadata.namespace}/${name}`);
        const volume = claim && isFullyBound(claim) ? volumes.get(claim.spec.volumeName ?? '') : undefined;
        const made = volume && attachment(volume, nodeName);
        if (made !== undefined && needsAttaching(made.spec.attacher)) result.set(made.metadata.name, made);
      }
    }
    return result;
  }

  async function attach(made: VolumeAttachment, signal: AbortSignal): Promise<void> {
    try {
      await client.create(VolumeAttachments, made, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const patch = { type: 'merge', body: { status: { attached: true } } } as const;
    await client.patch(VolumeAttachments, made.metadata, patch, { subresource: 'status' }, signal);
  }

  async function detach({ metadata }: VolumeAttachment, signal: AbortSignal): Promise<void> {
    await client.delete(VolumeAttachments, metadata, {}, signal).catch(ignoreNotFound);
  }

  const isOurs = ({ metadata, spec }: VolumeAttachment): boolean => {
    const volume = volumes.get(spec.source.persistentVolumeName ?? '');
    if (volume === undefined) return metadata.name.startsWith('csi-');
    return attachment(volume, spec.nodeName)?.metadata.name === metadata.name;
  };

  return {
    name: 'attachdetach',
    workers: 4,
    watches: [
      watch(Pods, ({ object }) => (object.spec.nodeName && podClaims(object).length > 0 ? [object.spec.nodeName] : [])),
      watch(PersistentVolumeClaims, ({ object }) =>
        pods.store.byIndex(CLAIM, keyOf(object)).flatMap(({ spec }) => spec.nodeName ?? []),
      ),
      watch(VolumeAttachments, ({ object }) => [object.spec.nodeName]),
      watch(PersistentVolumes, () => []),
      watch(CSIDrivers, () => []),
    ],
    async reconcile(nodeName, signal) {
      const desired = wanted(nodeName);
      const present = attachments.store.byIndex(NODE, nodeName);
      for (const made of desired.values()) {
        const known = attachments.store.get(made.metadata.name);
        if (known?.status?.attached !== true && known?.metadata.deletionTimestamp === undefined) {
          await attach(made, signal);
        }
      }
      for (const known of present) {
        if (!desired.has(known.metadata.name) && isOurs(known)) await detach(known, signal);
      }
    },
  };
}
