import type { Client } from '../../src/kube/client.ts';
import { isAlreadyExists } from '../../src/kube/errors.ts';
import type { CSINode, Node } from '../../src/kube/objects.ts';
import { CSINodes } from '../../src/kube/resources.ts';
import { RESOURCE_VOLUMES } from '../apis/labels.ts';

/** Whose volumes count against the limit: EBS's, and those of the storage class of local clusters, which stand for them. */
const DRIVERS = ['ebs.csi.aws.com', 'disk.kwok.x-k8s.io'];

/**
 * Says how many volumes a node takes, as its CSI driver would, where its machine has a limit; the object goes with the node.
 * Nothing happens when it is there already.
 */
export async function registerVolumeLimit(client: Client, node: Node, signal: AbortSignal): Promise<void> {
  const { name, uid = '' } = node.metadata;
  const count = Number(node.status?.allocatable?.[RESOURCE_VOLUMES] ?? Number.NaN);
  if (!Number.isInteger(count)) return;
  const csiNode: CSINode = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: {
      drivers: DRIVERS.map((driver) => ({ name: driver, nodeID: name, topologyKeys: [], allocatable: { count } })),
    },
  };
  await client.create(CSINodes, csiNode, {}, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
