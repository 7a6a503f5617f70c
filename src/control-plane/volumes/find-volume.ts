import { matchesNodeSelector, type SelectableNode } from '../../kube/node-affinity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/objects.ts';
import { compareQuantities, parseQuantity } from '../../kube/quantity.ts';
import { selects } from '../../kube/selectors.ts';
import { classNameOf, refersTo } from './claims.ts';

/** Whether the volume can be had on the node. */
export function volumeFitsNode({ spec }: PersistentVolume, node: SelectableNode): boolean {
  const required = spec.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required.nodeSelectorTerms, node);
}

const sizeOf = (list: Readonly<Record<string, string>> | undefined) => parseQuantity(list?.storage ?? '0');

const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec.volumeMode ?? 'Filesystem';

const hasModes = (volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean =>
  (spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));

function isOpenTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    volume.status?.phase === 'Available' &&
    (claim.spec.selector === undefined || selects(claim.spec.selector, volume.metadata.labels)) &&
    classNameOf(volume) === classNameOf(claim) &&
    hasModes(volume, claim)
  );
}

/**
 * The smallest volume that satisfies a claim, or the one that is already meant for it.
 *
 * @param options.node only volumes that can be had there.
 * @param options.reservedOnly only a volume whose claimRef names the claim.
 * @param options.taken names of volumes that are spoken for.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  options: { readonly node?: SelectableNode; readonly reservedOnly?: boolean; readonly taken?: ReadonlySet<string> },
): PersistentVolume | undefined {
  const { node, reservedOnly, taken } = options;
  const wanted = sizeOf(claim.spec.resources?.requests);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name) || volume.metadata.deletionTimestamp !== undefined) continue;
    const size = sizeOf(volume.spec.capacity);
    if (compareQuantities(size, wanted) < 0 || modeOf(volume) !== modeOf(claim)) continue;
    const fits = node === undefined || volumeFitsNode(volume, node);
    if (volume.spec.claimRef !== undefined) {
      if (!refersTo(volume, claim)) continue;
      // Reserved for the claim: this one or none.
      return fits ? volume : undefined;
    }
    if (reservedOnly || !fits || !isOpenTo(volume, claim)) continue;
    if (smallest === undefined || compareQuantities(sizeOf(smallest.spec.capacity), size) > 0) smallest = volume;
  }
  return smallest;
}
