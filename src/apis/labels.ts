/** Labels, annotations, taints and finalizers under upstream's names (karpenter-core.md section 2). */

export const GROUP = 'karpenter.sh';

export const LABEL_NODEPOOL = 'karpenter.sh/nodepool';
export const LABEL_REGISTERED = 'karpenter.sh/registered';
export const LABEL_INITIALIZED = 'karpenter.sh/initialized';
export const LABEL_CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const LABEL_DO_NOT_SYNC_TAINTS = 'karpenter.sh/do-not-sync-taints';
export const LABEL_EXCLUDE_FROM_BALANCERS = 'node.kubernetes.io/exclude-from-external-load-balancers';

export const LABEL_ZONE = 'topology.kubernetes.io/zone';
export const LABEL_REGION = 'topology.kubernetes.io/region';
export const LABEL_INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const LABEL_ARCH = 'kubernetes.io/arch';
export const LABEL_OS = 'kubernetes.io/os';
export const LABEL_HOSTNAME = 'kubernetes.io/hostname';
export const LABEL_WINDOWS_BUILD = 'node.kubernetes.io/windows-build';

export const CAPACITY_TYPE_ON_DEMAND = 'on-demand';
export const CAPACITY_TYPE_SPOT = 'spot';
export const CAPACITY_TYPE_RESERVED = 'reserved';

export const ANNOTATION_DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
export const ANNOTATION_NODEPOOL_HASH = 'karpenter.sh/nodepool-hash';
export const ANNOTATION_NODEPOOL_HASH_VERSION = 'karpenter.sh/nodepool-hash-version';
export const ANNOTATION_TERMINATION_TIMESTAMP = 'karpenter.sh/nodeclaim-termination-timestamp';
export const ANNOTATION_MIN_VALUES_RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';
export const ANNOTATION_REQUESTED_DRA_DRIVERS = 'karpenter.sh/requested-dra-drivers';
export const ANNOTATION_PRICE_OVERLAID = 'karpenter.sh/price-overlay-applied';
export const ANNOTATION_CAPACITY_OVERLAID = 'karpenter.sh/capacity-overlay-applied';
export const ANNOTATION_POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export const FINALIZER_TERMINATION = 'karpenter.sh/termination';

export const TAINT_DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const;
export const TAINT_UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const;

/** Keys that a requirement may leave undefined on the receiving side; a provider adds its own. */
export const WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  LABEL_NODEPOOL,
  LABEL_ZONE,
  LABEL_REGION,
  LABEL_INSTANCE_TYPE,
  LABEL_ARCH,
  LABEL_OS,
  LABEL_CAPACITY_TYPE,
  LABEL_WINDOWS_BUILD,
]);
