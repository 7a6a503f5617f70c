import type {
  Node,
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../kube/objects.ts';
import { claimReference } from './bind-claim.ts';
import { PROVISIONED_BY } from './claims.ts';

/** What the provisioner of CSI keeps on a volume until its disk is gone. */
export const DISK_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

const ZONE = 'topology.kubernetes.io/zone';

/** Topology keys of the drivers that name their own; the class's allowed topologies come first. */
const topologyKeys = (storageClass: StorageClass): readonly string[] => {
  const named = (storageClass.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key }) => key),
  );
  return named.length > 0 ? [...new Set(named)] : [ZONE];
};

/** Where the disk is: in the domain of the node that was chosen, or else in the first that the class allows. */
function domain(storageClass: StorageClass, node: Node | undefined): readonly NodeSelectorRequirement[] {
  if (node !== undefined) {
    return topologyKeys(storageClass).flatMap((key) => {
      const value = node.metadata.labels?.[key];
      return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
    });
  }
  const [first] = storageClass.allowedTopologies ?? [];
  return (first?.matchLabelExpressions ?? []).map(({ key, values }) => ({
    key,
    operator: 'In',
    values: values.slice(0, 1),
  }));
}

/** The volume that a CSI provisioner would make for a claim. No disk is behind it. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node | undefined,
): PersistentVolume {
  const name = `pvc-${claim.metadata.uid}`;
  const { provisioner } = storageClass;
  const matchExpressions = domain(storageClass, node);
  const reclaim = storageClass.reclaimPolicy ?? 'Delete';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { [PROVISIONED_BY]: provisioner },
      finalizers: ['kubernetes.io/pv-protection', ...(reclaim === 'Delete' ? [DISK_FINALIZER] : [])],
    },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.storage ?? '0' },
      accessModes: claim.spec.accessModes ?? [],
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      storageClassName: storageClass.metadata.name,
      persistentVolumeReclaimPolicy: reclaim,
      claimRef: claimReference(claim),
      csi: { driver: provisioner, volumeHandle: name },
      ...(matchExpressions.length > 0 && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
    },
  };
}
