/** What the controller can be told (karpenter-core.md section 10). Durations are in milliseconds. */
export interface OperatorOptions {
  readonly metricsPort: number;
  readonly healthProbePort: number;
  readonly disableLeaderElection: boolean;
  /** Leave out what is measured of every pod, node, pool and condition (karpenter-core.md 9.9). */
  readonly disableClusterStateObservability: boolean;
  readonly leaderElectionName: string;
  readonly leaderElectionNamespace: string;
  readonly logLevel: 'debug' | 'info' | 'error';
  readonly batchMaxMs: number;
  readonly batchIdleMs: number;
  readonly preferencePolicy: 'Respect' | 'Ignore';
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  readonly ignoreDRARequests: boolean;
  readonly featureGates: FeatureGates;
}

export interface FeatureGates {
  readonly NodeRepair: boolean;
  readonly ReservedCapacity: boolean;
  readonly SpotToSpotConsolidation: boolean;
  readonly NodeOverlay: boolean;
  readonly StaticCapacity: boolean;
  readonly CapacityBuffer: boolean;
}

export const DEFAULT_FEATURE_GATES: FeatureGates = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
};

export const DEFAULT_OPTIONS: OperatorOptions = {
  metricsPort: 8080,
  healthProbePort: 8081,
  disableLeaderElection: false,
  disableClusterStateObservability: false,
  leaderElectionName: 'karpenter-leader-election',
  leaderElectionNamespace: '',
  logLevel: 'info',
  batchMaxMs: 10_000,
  batchIdleMs: 1000,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDRARequests: true,
  featureGates: DEFAULT_FEATURE_GATES,
};
