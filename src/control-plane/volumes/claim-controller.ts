import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { isAlreadyExists } from '../../kube/errors.ts';
import { keyOf, refKey } from '../../kube/object-key.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/objects.ts';
import { Nodes, PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { NewEvent } from '../recorder.ts';
import { bindClaim } from './bind-claim.ts';
import {
  BIND_COMPLETED,
  classNameOf,
  isDelayed,
  isFullyBound,
  NO_PROVISIONER,
  refersTo,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from './claims.ts';
import { defaultClass } from './default-class.ts';
import { findVolume } from './find-volume.ts';
import { volumeFor } from './make-volume.ts';

const UNBOUND = 'unbound claims';
const WAITING: NewEvent = {
  type: 'Normal',
  reason: 'WaitForFirstConsumer',
  message: 'waiting for first consumer to be created before binding',
};
const NOTHING: NewEvent = {
  type: 'Normal',
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};

/**
 * Finds volumes for claims and has them made, as the PersistentVolume controller and the CSI provisioners together do.
 * Every provisioner is taken to exist and to succeed at once.
 */
export function claimController(deps: ControlPlaneDeps): ControllerSpec {
  const { client, informers } = deps;
  const recorder = deps.recorderFor('persistentvolume-controller', PersistentVolumeClaims);
  const claims = informers.for(PersistentVolumeClaims);
  claims.addIndex(UNBOUND, (claim) => (isFullyBound(claim) ? [] : [classNameOf(claim)]));
  const volumes = informers.reader(PersistentVolumes);
  const classes = informers.reader(StorageClasses);
  const nodes = informers.reader(Nodes);
  const unbound = (className: string): readonly string[] => claims.store.byIndex(UNBOUND, className).map(keyOf);

  async function setPhase(claim: PersistentVolumeClaim, phase: string, signal: AbortSignal): Promise<void> {
    if (claim.status?.phase === phase) return;
    const patch = { type: 'merge', body: { status: { phase } } } as const;
    await client.patch(PersistentVolumeClaims, claim.metadata, patch, { subresource: 'status' }, signal);
  }

  async function lose(claim: PersistentVolumeClaim, event: Omit<NewEvent, 'type'>, signal: AbortSignal): Promise<void> {
    if (claim.status?.phase !== 'Lost') recorder.event(claim, { type: 'Warning', ...event });
    await setPhase(claim, 'Lost', signal);
  }

  async function keep(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
    const volume = volumes.get(claim.spec.volumeName ?? '');
    if (volume === undefined) {
      const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!';
      await lose(claim, { reason: 'ClaimLost', message }, signal);
    } else if (volume.spec.claimRef === undefined || refersTo(volume, claim)) {
      await bindClaim(client, claim, volume, signal);
    } else {
      const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
      await lose(claim, { reason: 'ClaimMisbound', message }, signal);
    }
  }

  async function bindChosen(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
    const volume = volumes.get(claim.spec.volumeName ?? '');
    if (volume !== undefined && (volume.spec.claimRef === undefined || refersTo(volume, claim))) {
      await bindClaim(client, claim, volume, signal);
    } else await setPhase(claim, 'Pending', signal);
  }

  async function find(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
    const className = classNameOf(claim);
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    const delayed = isDelayed(classes.get(className)) && selected === undefined;
    const volume = findVolume(claim, volumes.list(), { reservedOnly: delayed || selected !== undefined });
    if (volume !== undefined) {
      await bindClaim(client, claim, volume, signal);
      return;
    }
    if (await setDefaultClass(claim, signal)) return;
    await setPhase(claim, 'Pending', signal);
    if (delayed) recorder.event(claim, WAITING);
    else if (className === '') recorder.event(claim, NOTHING);
    else await provision(claim, className, selected, signal);
  }

  /** A claim that leaves its class open gets the default one, even if that came later than the claim. */
  async function setDefaultClass(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<boolean> {
    if (claim.spec.storageClassName !== undefined || classNameOf(claim) !== '') return false;
    const storageClassName = defaultClass(classes.list())?.metadata.name;
    if (storageClassName === undefined) return false;
    const { resourceVersion } = claim.metadata;
    const body = { metadata: { resourceVersion }, spec: { storageClassName } };
    await client.patch(PersistentVolumeClaims, claim.metadata, { type: 'merge', body }, {}, signal);
    return true;
  }

  async function provision(
    claim: PersistentVolumeClaim,
    className: string,
    selected: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const storageClass = classes.get(className);
    if (storageClass === undefined) {
      const message = `storageclass.storage.k8s.io "${className}" not found`;
      recorder.event(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
      return;
    }
    const { provisioner } = storageClass;
    // The volume is somebody's to make by hand; its arrival wakes the claim.
    if (provisioner === NO_PROVISIONER) return;
    const node = selected === undefined ? undefined : nodes.get(selected);
    if (selected !== undefined && node === undefined) {
      // The node went before its volume was made: the scheduler has to choose again.
      const annotations = { [SELECTED_NODE]: null };
      const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
      await client.patch(PersistentVolumeClaims, claim.metadata, patch, {}, signal);
      return;
    }
    if (claim.metadata.annotations?.[STORAGE_PROVISIONER] !== provisioner) {
      const annotations = { [STORAGE_PROVISIONER]: provisioner };
      const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
      await client.patch(PersistentVolumeClaims, claim.metadata, patch, {}, signal);
    }
    const message = `External provisioner is provisioning volume for claim "${refKey(claim.metadata)}"`;
    recorder.event(claim, { type: 'Normal', reason: 'Provisioning', message });
    const volume = volumeFor(claim, storageClass, node);
    try {
      await client.create(PersistentVolumes, volume, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return;
    }
    const done = `Successfully provisioned volume ${volume.metadata.name}`;
    recorder.event(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message: done });
  }

  const claimOf = ({ spec }: PersistentVolume): readonly string[] => {
    const { name, namespace } = spec.claimRef ?? {};
    return name === undefined ? [] : [refKey({ name, ...(namespace !== undefined && { namespace }) })];
  };

  return {
    name: 'persistentvolume-binder',
    workers: 4,
    watches: [
      watch(PersistentVolumeClaims),
      watch(PersistentVolumes, ({ object, old }) => [
        ...claimOf(object),
        ...(old ? claimOf(old) : []),
        ...(object.spec.claimRef === undefined ? unbound(classNameOf(object)) : []),
      ]),
      watch(StorageClasses, ({ object }) => [...unbound(object.metadata.name), ...unbound('')]),
    ],
    async reconcile(key, signal) {
      const claim = claims.store.get(key);
      if (claim === undefined || (claim.metadata.deletionTimestamp !== undefined && !claim.spec.volumeName)) return;
      if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) await keep(claim, signal);
      else if (claim.spec.volumeName) await bindChosen(claim, signal);
      else await find(claim, signal);
    },
  };
}
