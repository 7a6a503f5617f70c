import type { Condition, KubeObject, ResourceList } from '../kube/objects.ts';
import type { NodeClaimTemplateSpec } from './node-pool.ts';

export interface NodeClaimSpec extends NodeClaimTemplateSpec {
  readonly resources?: { readonly requests?: ResourceList };
}

export interface NodeClaimStatus {
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly imageID?: string;
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly lastPodEventTime?: string;
  readonly conditions?: readonly Condition[];
}

/** karpenter.sh/v1 NodeClaim, cluster scoped. */
export interface NodeClaim extends KubeObject {
  readonly spec: NodeClaimSpec;
  readonly status?: NodeClaimStatus;
}
