import type { Condition, KubeObject, ResourceList, Taint } from '../kube/objects.ts';

export interface NodeClassReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export type RequirementOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';

export interface NodeSelectorRequirementWithMinValues {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

export type DisruptionReason = 'Underutilized' | 'Empty' | 'Drifted';

export interface Budget {
  readonly reasons?: readonly DisruptionReason[];
  /** A count or a percentage, default `10%`. */
  readonly nodes: string;
  readonly schedule?: string;
  readonly duration?: string;
}

export type ConsolidationPolicy = 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';

export interface NodePoolDisruption {
  /** A duration such as `30s`, or `Never`. */
  readonly consolidateAfter?: string;
  readonly consolidationPolicy?: ConsolidationPolicy;
  readonly budgets?: readonly Budget[];
}

export interface NodeClaimTemplateSpec {
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly requirements: readonly NodeSelectorRequirementWithMinValues[];
  readonly nodeClassRef: NodeClassReference;
  readonly terminationGracePeriod?: string;
  /** A duration such as `720h`, or `Never`. */
  readonly expireAfter?: string;
}

export interface NodePoolSpec {
  readonly template: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: NodeClaimTemplateSpec;
  };
  readonly disruption?: NodePoolDisruption;
  readonly limits?: ResourceList;
  readonly weight?: number;
  /** Present on a static pool only. */
  readonly replicas?: number;
}

/** karpenter.sh/v1 NodePool, cluster scoped. */
export interface NodePool extends KubeObject {
  readonly spec: NodePoolSpec;
  readonly status?: {
    readonly resources?: ResourceList;
    readonly nodes?: number;
    readonly nodeClassObservedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}
