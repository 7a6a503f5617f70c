import type { SelectableNode } from '../../../kube/node-affinity.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../kube/objects.ts';
import { compareQuantities, parseQuantity } from '../../../kube/quantity.ts';
import { classNameOf, NO_PROVISIONER, SELECTED_NODE } from '../../volumes/claims.ts';
import { findVolume } from '../../volumes/find-volume.ts';

/** What is to happen to a pod's unbound claims once it goes to a node. */
export interface VolumePlan {
  readonly bind: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims whose volume is to be made, in reach of the node. */
  readonly provision: readonly PersistentVolumeClaim[];
}

export interface PlanInput {
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly taken: ReadonlySet<string>;
  storageClass(name: string): StorageClass | undefined;
}

type Topologies = NonNullable<StorageClass['allowedTopologies']>;

/** Terms are alternatives; none at all means everywhere. */
const inTopology = (terms: Topologies | undefined, labels: Readonly<Record<string, string>>): boolean =>
  terms === undefined ||
  terms.length === 0 ||
  terms.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
  );

function canProvision(storageClass: StorageClass | undefined, labels: Readonly<Record<string, string>>): boolean {
  const provisioner = storageClass?.provisioner;
  if (!provisioner || provisioner === NO_PROVISIONER) return false;
  return inTopology(storageClass.allowedTopologies, labels);
}

const sizeOf = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec.resources?.requests?.storage ?? '0');

/** How claims that wait for a consumer could be satisfied on the node; undefined when they can't. */
export function planVolumes(input: PlanInput, node: SelectableNode): VolumePlan | undefined {
  const taken = new Set(input.taken);
  const bind: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provision: PersistentVolumeClaim[] = [];
  // Small ones first, so that none takes a volume that only a larger one needs.
  for (const claim of input.claims.toSorted((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== node.metadata.name) return undefined;
    const volume = selected === undefined ? findVolume(claim, input.volumes, { node, taken }) : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      bind.push({ claim, volume });
    } else if (canProvision(input.storageClass(classNameOf(claim)), node.metadata.labels ?? {})) {
      provision.push(claim);
    } else return undefined;
  }
  return { bind, provision };
}
