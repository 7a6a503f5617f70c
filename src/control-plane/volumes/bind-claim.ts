import type { Client } from '../../kube/client.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/objects.ts';
import { PersistentVolumeClaims, PersistentVolumes } from '../../kube/resources.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, refersTo } from './claims.ts';

/** The reference a volume holds to its claim. */
export const claimReference = ({ metadata }: PersistentVolumeClaim) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  name: metadata.name,
  namespace: metadata.namespace,
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});

async function pointVolume(
  client: Client,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  const { resourceVersion } = volume.metadata;
  if (volume.spec.claimRef?.uid === claim.metadata.uid && refersTo(volume, claim)) return volume;
  // A volume that a person reserved by name stays theirs to release.
  const annotations = refersTo(volume, claim) ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
  const body = { metadata: { annotations, resourceVersion }, spec: { claimRef: claimReference(claim) } };
  return await client.patch(PersistentVolumes, volume.metadata, { type: 'merge', body }, {}, signal);
}

/** Writes a volume's phase if it has another one. */
export async function setVolumePhase(
  client: Client,
  volume: PersistentVolume,
  phase: 'Available' | 'Bound' | 'Released' | 'Failed',
  signal: AbortSignal,
): Promise<void> {
  if (volume.status?.phase === phase) return;
  const body = { status: { phase } };
  await client.patch(PersistentVolumes, volume.metadata, { type: 'merge', body }, { subresource: 'status' }, signal);
}

async function pointClaim(
  client: Client,
  claim: PersistentVolumeClaim,
  volumeName: string,
  signal: AbortSignal,
): Promise<void> {
  const { annotations = {}, resourceVersion } = claim.metadata;
  const chosen = claim.spec.volumeName === volumeName;
  if (chosen && annotations[BIND_COMPLETED] !== undefined) return;
  const added = { [BIND_COMPLETED]: 'yes', ...(!chosen && { [BOUND_BY_CONTROLLER]: 'yes' }) };
  const body = { metadata: { annotations: added, resourceVersion }, spec: { volumeName } };
  await client.patch(PersistentVolumeClaims, claim.metadata, { type: 'merge', body }, {}, signal);
}

async function setClaimBound(
  client: Client,
  claim: PersistentVolumeClaim,
  { spec }: PersistentVolume,
  signal: AbortSignal,
): Promise<void> {
  const { capacity, accessModes } = spec;
  const same = claim.status?.phase === 'Bound' && JSON.stringify(claim.status.capacity) === JSON.stringify(capacity);
  if (same) return;
  const patch = { type: 'merge', body: { status: { phase: 'Bound', accessModes, capacity } } } as const;
  await client.patch(PersistentVolumeClaims, claim.metadata, patch, { subresource: 'status' }, signal);
}

/**
 * Makes claim and volume know of each other, in an order that any other controller and any crash in between can go on
 * from: the volume's reference first, the claim's annotation and phase last.
 */
export async function bindClaim(
  client: Client,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<void> {
  const pointed = await pointVolume(client, volume, claim, signal);
  await setVolumePhase(client, pointed, 'Bound', signal);
  await pointClaim(client, claim, volume.metadata.name, signal);
  await setClaimBound(client, claim, volume, signal);
}
