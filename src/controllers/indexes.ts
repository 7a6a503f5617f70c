import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeClassReference } from '../apis/node-pool.ts';
import type { Informers } from '../kube/informers.ts';
import type { Node } from '../kube/objects.ts';
import { NodeClaims, Nodes, Pods, VolumeAttachments } from '../kube/resources.ts';

export const BY_PROVIDER_ID = 'providerID';
export const BY_NODE_NAME = 'nodeName';
export const BY_NODE_POOL = 'nodePool';
export const BY_NODE_CLASS = 'nodeClass';

const some = (value: string | undefined): readonly string[] => (value ? [value] : []);

/** The indexes that controllers look objects up by. */
export function addIndexes(informers: Informers): void {
  const nodeClaims = informers.for(NodeClaims);
  nodeClaims.addIndex(BY_PROVIDER_ID, (claim) => some(claim.status?.providerID));
  nodeClaims.addIndex(BY_NODE_POOL, (claim) => some(claim.metadata.labels?.[LABEL_NODEPOOL]));
  nodeClaims.addIndex(BY_NODE_CLASS, ({ spec: { nodeClassRef } }) => [nodeClassKey(nodeClassRef)]);
  informers.for(Nodes).addIndex(BY_PROVIDER_ID, (node) => some(node.spec.providerID));
  informers.for(Pods).addIndex(BY_NODE_NAME, (pod) => some(pod.spec.nodeName));
  informers.for(VolumeAttachments).addIndex(BY_NODE_NAME, (attachment) => some(attachment.spec.nodeName));
}

/** Keys of the claims that a node belongs to, for watches. */
export function claimsOfNode(informers: Informers, node: Node): readonly string[] {
  if (!node.spec.providerID) return [];
  const claims: readonly NodeClaim[] = informers.for(NodeClaims).store.byIndex(BY_PROVIDER_ID, node.spec.providerID);
  return claims.map((claim) => claim.metadata.name);
}

/** Keys of the nodes that a claim has got, for watches. */
export function nodesOfClaim(informers: Informers, claim: NodeClaim): readonly string[] {
  const id = claim.status?.providerID;
  return id
    ? informers
        .reader(Nodes)
        .byIndex(BY_PROVIDER_ID, id)
        .map((node) => node.metadata.name)
    : [];
}

/** What claims are found by in the index of node classes. */
export const nodeClassKey = ({ group, kind, name }: NodeClassReference): string => `${kind}.${group}/${name}`;
