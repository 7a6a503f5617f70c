import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import { refKey } from '../../kube/object-key.ts';
import type { PersistentVolume } from '../../kube/objects.ts';
import { PersistentVolumeClaims, PersistentVolumes } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { setVolumePhase } from './bind-claim.ts';
import { BOUND_BY_CONTROLLER } from './claims.ts';
import { DISK_FINALIZER } from './make-volume.ts';

const CLAIM = 'claim';

/** Keeps the phase of volumes, and reclaims those whose claim has gone. */
export function volumeController(deps: ControlPlaneDeps): ControllerSpec {
  const { client, informers } = deps;
  const volumes = informers.for(PersistentVolumes);
  volumes.addIndex(CLAIM, ({ spec }) => {
    const { name, namespace } = spec.claimRef ?? {};
    return name === undefined ? [] : [`${namespace}/${name}`];
  });
  const claims = informers.reader(PersistentVolumeClaims);

  async function patch(volume: PersistentVolume, body: unknown, signal: AbortSignal): Promise<void> {
    await client.patch(PersistentVolumes, volume.metadata, { type: 'merge', body }, {}, signal);
  }

  /** The disk is gone as soon as somebody asks: nothing but the objects is left to remove. */
  async function reclaim(volume: PersistentVolume, signal: AbortSignal): Promise<void> {
    await setVolumePhase(client, volume, 'Released', signal);
    if (volume.spec.persistentVolumeReclaimPolicy !== 'Delete') return;
    try {
      if (volume.metadata.deletionTimestamp === undefined) {
        await client.delete(PersistentVolumes, volume.metadata, {}, signal);
      }
      await removeFinalizer(volume, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function removeFinalizer(volume: PersistentVolume, signal: AbortSignal): Promise<void> {
    const { finalizers = [] } = await client.get(PersistentVolumes, volume.metadata, signal).then(
      ({ metadata }) => metadata,
      (error: unknown) => {
        if (isNotFound(error)) return { finalizers: [] };
        throw error;
      },
    );
    const left = finalizers.filter((finalizer) => finalizer !== DISK_FINALIZER);
    if (left.length < finalizers.length) await patch(volume, { metadata: { finalizers: left } }, signal);
  }

  /** The claim chose another volume: this one is free again, unless a person reserved it. */
  async function unbind(volume: PersistentVolume, signal: AbortSignal): Promise<void> {
    const byController = volume.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined;
    const { resourceVersion } = volume.metadata;
    const claimRef = byController ? null : { uid: null, resourceVersion: null };
    const annotations = { [BOUND_BY_CONTROLLER]: null };
    await patch(volume, { metadata: { annotations, resourceVersion }, spec: { claimRef } }, signal);
  }

  return {
    name: 'persistentvolume-reclaimer',
    workers: 4,
    watches: [
      watch(PersistentVolumes),
      watch(PersistentVolumeClaims, ({ object }) => [
        ...(object.spec.volumeName ? [object.spec.volumeName] : []),
        ...volumes.store.byIndex(CLAIM, refKey(object.metadata)).map(({ metadata }) => metadata.name),
      ]),
    ],
    async reconcile(key, signal) {
      const volume = volumes.store.get(key);
      if (volume === undefined) return;
      const { claimRef } = volume.spec;
      if (!claimRef?.uid) {
        await setVolumePhase(client, volume, 'Available', signal);
        return;
      }
      const claim = claims.get(`${claimRef.namespace}/${claimRef.name}`);
      if (claim === undefined || claim.metadata.uid !== claimRef.uid) await reclaim(volume, signal);
      else if (claim.spec.volumeName === key) await setVolumePhase(client, volume, 'Bound', signal);
      else if (claim.spec.volumeName) await unbind(volume, signal);
      // Otherwise the claim has yet to be told; its own controller does that.
    },
  };
}
