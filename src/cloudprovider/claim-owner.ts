import type { NodeClaim } from '../apis/node-claim.ts';
import type { OwnerReference } from '../kube/objects.ts';
import { apiVersionOf, NodeClaims } from '../kube/resources.ts';

/** Makes an object the claim's: it goes when the claim has gone. */
export function claimOwner({ metadata: { name, uid = '' } }: NodeClaim): OwnerReference {
  return { apiVersion: apiVersionOf(NodeClaims), kind: NodeClaims.kind, name, uid, blockOwnerDeletion: true };
}
