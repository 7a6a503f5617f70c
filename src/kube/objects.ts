/**
 * Kubernetes objects as plain JSON, with the fields this project reads. Times are RFC 3339 strings and quantities are
 * strings, exactly as they travel; an unknown field is kept because nothing here ever rebuilds an object.
 */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

/** Any object of any kind. `spec` and `status` are narrowed by the interfaces below. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
  readonly observedGeneration?: number;
}

/** A list of resource names to quantities as strings, for example `{cpu: '500m', memory: '1Gi'}`. */
export type ResourceList = Readonly<Record<string, string>>;

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface PreferredSchedulingTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly topologyKey: string;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface ResourceRequirements {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
  readonly claims?: readonly { readonly name: string }[];
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

export interface Node extends KubeObject {
  readonly spec: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
    readonly podCIDR?: string;
  };
  readonly status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly Condition[];
    readonly phase?: string;
    readonly nodeInfo?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly volumesAttached?: readonly unknown[];
  };
}

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly resources?: ResourceRequirements;
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly volumeMode?: string;
  readonly selector?: LabelSelector;
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
  };
}

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly claimRef?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
      readonly [k: string]: unknown;
    };
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } };
    readonly csi?: { readonly driver: string; readonly volumeHandle?: string; readonly [k: string]: unknown };
    readonly local?: unknown;
    readonly hostPath?: unknown;
    readonly awsElasticBlockStore?: unknown;
  };
  readonly status?: { readonly phase?: string };
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface CSINode extends KubeObject {
  readonly spec: {
    readonly drivers?: readonly {
      readonly name: string;
      readonly nodeID?: string;
      readonly topologyKeys?: readonly string[];
      readonly allocatable?: { readonly count?: number };
    }[];
  };
}

export interface VolumeAttachment extends KubeObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
    readonly observedGeneration?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

export interface PriorityClass extends KubeObject {
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly updateStrategy?: Readonly<Record<string, unknown>>;
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly minReadySeconds?: number;
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly fullyLabeledReplicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly paused?: boolean;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
    readonly ordinals?: { readonly start?: number };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template: PodTemplateSpec;
}

export interface Job extends KubeObject {
  readonly spec: JobSpec;
  readonly status?: {
    readonly active?: number;
    readonly ready?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly terminating?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly completedIndexes?: string;
    readonly conditions?: readonly Condition[];
    readonly uncountedTerminatedPods?: Readonly<Record<string, unknown>>;
  };
}

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly concurrencyPolicy?: string;
    readonly suspend?: boolean;
    readonly startingDeadlineSeconds?: number;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate: { readonly metadata?: Partial<ObjectMeta>; readonly spec: JobSpec };
  };
  readonly status?: {
    readonly active?: readonly Readonly<Record<string, unknown>>[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

export interface LimitRange extends KubeObject {
  readonly spec: {
    readonly limits: readonly {
      readonly type: string;
      readonly default?: ResourceList;
      readonly defaultRequest?: ResourceList;
      readonly max?: ResourceList;
      readonly min?: ResourceList;
    }[];
  };
}

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** core/v1 Event. */
export interface Event extends KubeObject {
  readonly involvedObject: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly fieldPath?: string;
  };
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
}
