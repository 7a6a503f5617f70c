import type { DeleteOptions } from '../../kube/client.ts';
import type { OwnerReference } from '../../kube/objects.ts';
import type { GraphNode } from './graph.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** `waiting`: it is being deleted in the foreground, which needs its dependents to go first. */
export type OwnerState = 'present' | 'waiting' | 'absent';

export type CollectionPlan =
  | { readonly action: 'keep' }
  /** Some owners are gone, others not: only these references stay. */
  | { readonly action: 'unlink'; readonly owners: readonly OwnerReference[] }
  | { readonly action: 'delete'; readonly policy: DeleteOptions['propagationPolicy'] };

/** What becomes of an object given the state of its owners (upstream's attemptToDeleteItem). */
export function planCollection(
  node: GraphNode,
  stateOf: (owner: OwnerReference) => OwnerState,
  dependents: readonly GraphNode[],
): CollectionPlan {
  if (node.owners.length === 0) return { action: 'keep' };
  const present = node.owners.filter((owner) => stateOf(owner) === 'present');
  if (present.length === node.owners.length) return { action: 'keep' };
  if (present.length > 0) return { action: 'unlink', owners: present };
  const waiting = node.owners.some((owner) => stateOf(owner) === 'waiting');
  // The owner waits for all below it, not only for this one.
  if (waiting && dependents.length > 0) return { action: 'delete', policy: 'Foreground' };
  if (node.finalizers.includes(ORPHAN)) return { action: 'delete', policy: 'Orphan' };
  if (node.finalizers.includes(FOREGROUND)) return { action: 'delete', policy: 'Foreground' };
  return { action: 'delete', policy: 'Background' };
}

/** Whether a dependent keeps its owner from ending a deletion in the foreground. */
export function blocksDeletion(dependent: GraphNode, owner: GraphNode): boolean {
  return dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true);
}
