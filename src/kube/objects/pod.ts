/** Pods and what is in them. */
import type { ResourceList, ResourceRequirements } from './amounts.ts';
import type { Condition, KubeObject, ObjectMeta } from './metadata.ts';
import type { Affinity, Toleration, TopologySpreadConstraint } from './placement.ts';
import type { PersistentVolumeClaimSpec } from './storage.ts';

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: ResourceRequirements;
  /** `Always` on an init container makes it a sidecar. */
  readonly restartPolicy?: string;
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly ephemeral?: {
    readonly volumeClaimTemplate?: {
      readonly metadata?: Partial<ObjectMeta>;
      readonly spec: PersistentVolumeClaimSpec;
    };
  };
  readonly [source: string]: unknown;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly overhead?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly resourceClaims?: readonly {
    readonly name: string;
    readonly resourceClaimName?: string;
    readonly resourceClaimTemplateName?: string;
  }[];
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly schedulerName?: string;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: string;
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly serviceAccountName?: string;
  readonly hostNetwork?: boolean;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly imageID?: string;
  readonly state?: Readonly<Record<string, unknown>>;
  readonly resources?: ResourceRequirements;
  readonly allocatedResources?: ResourceList;
}

export interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
  readonly nominatedNodeName?: string;
  readonly startTime?: string;
  readonly podIP?: string;
  readonly hostIP?: string;
  readonly qosClass?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  readonly resize?: string;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}
