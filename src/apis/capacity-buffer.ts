import type { Condition, KubeObject, ResourceList } from '../kube/objects.ts';

export interface ScalableRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

/** autoscaling.x-k8s.io/v1beta1 CapacityBuffer, namespaced: room to be kept free for pods that are yet to come. */
export interface CapacityBuffer extends KubeObject {
  readonly spec: {
    readonly provisioningStrategy?: string;
    readonly podTemplateRef?: { readonly name: string };
    readonly scalableRef?: ScalableRef;
    readonly replicas?: number;
    /** Of the replicas of the scalable. */
    readonly percentage?: number;
    readonly limits?: ResourceList;
  };
  readonly status?: {
    readonly podTemplateRef?: { readonly name: string };
    readonly podTemplateGeneration?: number;
    readonly replicas?: number;
    readonly provisioningStrategy?: string;
    readonly conditions?: readonly Condition[];
  };
}

const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';
export const READY_FOR_PROVISIONING = 'ReadyForProvisioning';
export const PROVISIONING = 'Provisioning';

/** Whether the buffer is to be served here; those of other strategies are somebody else's. */
export function isActiveBuffer({ spec }: CapacityBuffer): boolean {
  return (spec.provisioningStrategy ?? ACTIVE_CAPACITY) === ACTIVE_CAPACITY;
}
