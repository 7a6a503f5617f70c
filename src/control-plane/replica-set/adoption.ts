import type { OwnerReference, Pod } from '../../kube/objects.ts';
import { isActive } from '../../kube/pods.ts';
import type { LabelMatcher } from '../../kube/selectors.ts';

/** Who owns a pod must change. */
export interface OwnershipPlan {
  readonly adopt: readonly Pod[];
  readonly release: readonly Pod[];
}

/** Pods that nobody controls but the selector takes are adopted; own pods that it no longer takes are let go. */
export function planOwnership(matches: LabelMatcher, own: readonly Pod[], orphans: readonly Pod[]): OwnershipPlan {
  return {
    adopt: orphans.filter((pod) => isActive(pod) && matches(pod.metadata.labels)),
    release: own.filter((pod) => !matches(pod.metadata.labels)),
  };
}

export function withoutOwner(pod: Pod, uid: string): readonly OwnerReference[] {
  return (pod.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
}
