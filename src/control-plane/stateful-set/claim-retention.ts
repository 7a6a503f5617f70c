import type { OwnerReference, PersistentVolumeClaim, Pod, StatefulSet } from '../../kube/objects.ts';
import { apiVersionOf } from '../owners.ts';
import { claimName, ordinalOf, STATEFUL_SET_KIND } from './pod.ts';

export interface ClaimOwners {
  readonly claim: PersistentVolumeClaim;
  readonly ownerReferences: readonly OwnerReference[];
}

/**
 * Owner references that let garbage collection delete a claim with its set (whenDeleted) or with its pod when that is
 * scaled away (whenScaled). Gives the claims whose references must change.
 */
export function planClaimRetention(
  set: StatefulSet,
  pods: readonly Pod[],
  condemned: readonly Pod[],
  claims: readonly PersistentVolumeClaim[],
): readonly ClaimOwners[] {
  const policy = set.spec.persistentVolumeClaimRetentionPolicy;
  const templates = set.spec.volumeClaimTemplates ?? [];
  if (templates.length === 0) return [];
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
  const leaving = new Set(condemned.map((pod) => pod.metadata.uid));
  return pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) return [];
    const owners: OwnerReference[] = [];
    if (policy?.whenScaled === 'Delete' && leaving.has(pod.metadata.uid)) owners.push(reference(pod, 'v1', 'Pod'));
    else if (policy?.whenDeleted === 'Delete')
      owners.push(reference(set, apiVersionOf(STATEFUL_SET_KIND), 'StatefulSet'));
    return templates.flatMap((template) => {
      const claim = byName.get(claimName(template, set, ordinal));
      return claim ? changed(claim, set, pod, owners) : [];
    });
  });
}

function reference(owner: Pod | StatefulSet, apiVersion: string, kind: string): OwnerReference {
  return { apiVersion, kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '' };
}

function changed(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  owners: readonly OwnerReference[],
): readonly ClaimOwners[] {
  const before = claim.metadata.ownerReferences ?? [];
  const ours = new Set([set.metadata.uid, pod.metadata.uid]);
  const others = before.filter(({ uid }) => !ours.has(uid));
  const kept = before.filter(({ uid }) => ours.has(uid));
  const same = kept.length === owners.length && owners.every(({ uid }) => kept.some((owner) => owner.uid === uid));
  return same ? [] : [{ claim, ownerReferences: [...others, ...owners] }];
}
