/** Milliseconds; the defaults are kube-controller-manager's. */
export interface NodeLifecycleOptions {
  /** Without a sign of life for so long a node is Unknown; Infinity trusts nodes for ever. */
  readonly monitorGrace: number;
  /** The same for a node whose kubelet has never reported. */
  readonly startupGrace: number;
  /** Between two looks at all pods for those whose node has gone. */
  readonly podCollectionPeriod: number;
  /** A node must be gone for so long before its pods are deleted. */
  readonly orphanQuarantine: number;
  /** Finished pods kept; beyond that the oldest go. */
  readonly terminatedPodLimit: number;
}

export const DEFAULT_NODE_LIFECYCLE_OPTIONS: NodeLifecycleOptions = {
  monitorGrace: 40_000,
  startupGrace: 60_000,
  podCollectionPeriod: 20_000,
  orphanQuarantine: 40_000,
  terminatedPodLimit: 12_500,
};
