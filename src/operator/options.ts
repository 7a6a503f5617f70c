/** What the controller can be told (karpenter-core.md section 10). Durations are in milliseconds. */
export interface OperatorOptions {
  /** Service of upstream's former webhooks; accepted and without effect, as there. */
  readonly karpenterService: string;
  readonly metricsPort: number;
  readonly healthProbePort: number;
  /** Requests per second in the long run; 0 means client-go's default, a negative number no limit. */
  readonly kubeClientQps: number;
  /** Requests at once; 0 means client-go's default. */
  readonly kubeClientBurst: number;
  readonly enableProfiling: boolean;
  readonly disableControllerWarmup: boolean;
  readonly disableLeaderElection: boolean;
  /** Leave out what is measured of every pod, node, pool and condition (karpenter-core.md 9.9). */
  readonly disableClusterStateObservability: boolean;
  readonly leaderElectionName: string;
  readonly leaderElectionNamespace: string;
  /** Bytes; not positive means no limit. */
  readonly memoryLimit: number;
  /** Thousandths of a core: the more, the more is worked on at the same time. */
  readonly cpuRequests: number;
  readonly logLevel: 'debug' | 'info' | 'error';
  /** Files and the words `stdout` and `stderr`. */
  readonly logOutputPaths: readonly string[];
  /** The same, for what goes wrong with logging itself. */
  readonly logErrorOutputPaths: readonly string[];
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
  karpenterService: '',
  metricsPort: 8080,
  healthProbePort: 8081,
  kubeClientQps: 200,
  kubeClientBurst: 300,
  enableProfiling: false,
  disableControllerWarmup: true,
  disableLeaderElection: false,
  disableClusterStateObservability: false,
  leaderElectionName: 'karpenter-leader-election',
  leaderElectionNamespace: '',
  memoryLimit: -1,
  cpuRequests: 1000,
  logLevel: 'info',
  logOutputPaths: ['stdout'],
  logErrorOutputPaths: ['stderr'],
  batchMaxMs: 10_000,
  batchIdleMs: 1000,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDRARequests: true,
  featureGates: DEFAULT_FEATURE_GATES,
};
