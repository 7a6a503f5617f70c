import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeClassReference, NodePool } from '../apis/node-pool.ts';
import type { CloudProvider } from '../cloudprovider/types.ts';
import type { Node } from '../kube/objects.ts';

type Provider = Pick<CloudProvider, 'supportedNodeClasses'>;

/** Label under which claims and nodes carry the name of their node class. */
export function nodeClassLabel({ group, kind }: Pick<NodeClassReference, 'group' | 'kind'>): string {
  return `${group}/${kind.toLowerCase()}`;
}

function isSupported(cloud: Provider, ref: NodeClassReference): boolean {
  return cloud.supportedNodeClasses().some(({ group, kind }) => group === ref.group && kind === ref.kind);
}

/** Whether the pool's node class is one of this provider's; other pools are somebody else's business. */
export function isManagedPool(cloud: Provider, nodePool: NodePool): boolean {
  return isSupported(cloud, nodePool.spec.template.spec.nodeClassRef);
}

export function isManagedClaim(cloud: Provider, claim: NodeClaim): boolean {
  return isSupported(cloud, claim.spec.nodeClassRef);
}

export function isManagedNode(cloud: Provider, node: Node): boolean {
  return cloud
    .supportedNodeClasses()
    .some((nodeClass) => node.metadata.labels?.[nodeClassLabel(nodeClass)] !== undefined);
}
