import type { Condition, KubeObject, ResourceList } from '../kube/objects.ts';
import type { NodeSelectorRequirementWithMinValues } from './node-pool.ts';

/** karpenter.sh/v1alpha1 NodeOverlay, cluster scoped. */
export interface NodeOverlay extends KubeObject {
  readonly spec: {
    readonly requirements: readonly NodeSelectorRequirementWithMinValues[];
    readonly price?: string;
    readonly priceAdjustment?: string;
    readonly capacity?: ResourceList;
    readonly weight?: number;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}
