import { ANNOTATION_REQUESTED_DRA_DRIVERS } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { ResourceSlice } from '../../../kube/objects.ts';

/** Name of the node that a slice is local to; undefined for slices of the whole cluster. */
export function nodeOfSlice({ metadata, spec }: ResourceSlice): string | undefined {
  return spec.nodeName || metadata.ownerReferences?.find((owner) => owner.kind === 'Node')?.name;
}

/**
 * The first driver that the claim was made for and that has not published one whole pool of devices on the node yet
 * (karpenter-core.md 5.4.1).
 *
 * @param slices those of the claim's node.
 */
export function unpublishedDriver(claim: NodeClaim, slices: readonly ResourceSlice[]): string | undefined {
  const wanted = (claim.metadata.annotations?.[ANNOTATION_REQUESTED_DRA_DRIVERS] ?? '')
    .split(',')
    .map((driver) => driver.trim())
    .filter((driver) => driver !== '');
  return wanted.find((driver) => !pools(slices.filter(({ spec }) => spec.driver === driver)).some(isComplete));
}

/** Slices by the pool that they are part of. */
const pools = (slices: readonly ResourceSlice[]): readonly (readonly ResourceSlice[])[] => [
  ...Map.groupBy(slices, ({ spec }) => spec.pool.name).values(),
];

/** All slices of the newest generation are there; older ones are about to go and don't count. */
function isComplete(slices: readonly ResourceSlice[]): boolean {
  const newest = Math.max(...slices.map(({ spec }) => spec.pool.generation ?? 0));
  const current = slices.filter(({ spec }) => (spec.pool.generation ?? 0) === newest);
  return current.length === current[0]?.spec.pool.resourceSliceCount;
}
