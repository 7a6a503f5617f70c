import type { Condition, KubeObject } from '../../kube/objects.ts';

export interface MetricTarget {
  readonly type?: string;
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

interface MetricSource {
  readonly name?: string;
  readonly container?: string;
  readonly metric?: { readonly name: string; readonly [k: string]: unknown };
  readonly describedObject?: unknown;
  readonly target?: MetricTarget;
}

export interface MetricSpec {
  readonly type: string;
  readonly resource?: MetricSource;
  readonly containerResource?: MetricSource;
  readonly pods?: MetricSource;
  readonly object?: MetricSource;
  readonly external?: MetricSource;
}

/** autoscaling/v2, as far as it is read here. */
export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics?: readonly MetricSpec[];
    readonly behavior?: {
      readonly scaleUp?: { readonly stabilizationWindowSeconds?: number; readonly selectPolicy?: string };
      readonly scaleDown?: { readonly stabilizationWindowSeconds?: number; readonly selectPolicy?: string };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly lastScaleTime?: string;
    readonly currentReplicas?: number;
    readonly desiredReplicas?: number;
    readonly currentMetrics?: readonly unknown[] | null;
    readonly conditions?: readonly Condition[];
  };
}

/** autoscaling/v1 Scale, the view of anything that has a size. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}
