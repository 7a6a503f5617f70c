/** A node that goes whatever the methods of disruption say: it is being deleted, or has outlived its time. */
import { parseNillableDuration } from '../apis/duration.ts';
import { lifetimeOf } from '../apis/expire-after.ts';
import { ANNOTATION_TERMINATION_TIMESTAMP } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { Pod } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { isWaitingEviction } from '../scheduling/pod-lifecycle.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import { protection } from './placement.ts';
import { podName } from './plan-report.ts';

export interface Leaving {
  readonly because: 'Deleted' | 'Expired';
  readonly since: string;
  /** Pods that its drain waits for, `ns/name`, sorted; `keptBy` is what forbids their eviction now. */
  readonly pods: readonly { readonly pod: string; readonly keptBy?: string }[];
  /** When pods are deleted without asking, by the claim's terminationGracePeriod; absent for never. */
  readonly forcedAt?: string;
}

/** When the claim is deleted for its age; null for never. */
export function expiresAt({ metadata, spec }: NodeClaim): string | null {
  const lifetime = lifetimeOf(spec);
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return lifetime === undefined || Number.isNaN(created) ? null : formatTimestamp(created + lifetime);
}

/** Undefined for a node that stays for all that is known. */
export function leavingOf(
  { node, nodeClaim }: Pick<StateNode, 'node' | 'nodeClaim'>,
  world: World,
): Leaving | undefined {
  const deleted = nodeClaim?.metadata.deletionTimestamp ?? node?.metadata.deletionTimestamp;
  const expiry = nodeClaim && expiresAt(nodeClaim);
  const expired = expiry && Date.parse(expiry) <= world.now ? expiry : undefined;
  const since = deleted ?? expired;
  if (since === undefined) return undefined;
  const forcedAt = nodeClaim && forcedAtOf(nodeClaim, deleted === undefined ? world.now : Date.parse(deleted));
  const name = node?.metadata.name;
  return {
    because: deleted === undefined ? 'Expired' : 'Deleted',
    since,
    pods: world.pods
      .filter((pod) => name !== undefined && pod.spec.nodeName === name && isWaitingEviction(pod, world.now))
      .map((pod) => waitedFor(pod, world))
      .sort((a, b) => (a.pod < b.pod ? -1 : 1)),
    ...(forcedAt ? { forcedAt } : {}),
  };
}

/** The controller writes it down at the deletion, which is at `deleted` (epoch milliseconds). */
function forcedAtOf({ metadata, spec }: NodeClaim, deleted: number): string | undefined {
  const known = metadata.annotations?.[ANNOTATION_TERMINATION_TIMESTAMP];
  const grace = parseNillableDuration(spec.terminationGracePeriod, 'Never');
  return known ?? (grace === undefined ? undefined : formatTimestamp(deleted + grace));
}

function waitedFor(pod: Pod, world: World): Leaving['pods'][number] {
  const keptBy = protection(pod, world);
  return { pod: podName(pod), ...(keptBy ? { keptBy } : {}) };
}
