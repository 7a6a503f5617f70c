import { parseFeatureGates } from './feature-gates.ts';
import { BOOLEAN, DURATION, INTEGER, OptionReader, type OptionValues } from './option-reader.ts';
import { DEFAULT_FEATURE_GATES, DEFAULT_OPTIONS, type OperatorOptions } from './options.ts';

/**
 * Reads the options of the controller, whatever the provider.
 *
 * @param flags by upstream's flag names, without dashes: `{'batch-idle-duration': '2s'}`.
 * @throws {OptionError}
 */
export function parseOptions(flags: OptionValues, environment: OptionValues): OperatorOptions {
  const options = new OptionReader(flags, environment);
  const d = DEFAULT_OPTIONS;
  const cpuRequests = options.read('cpu-requests', INTEGER, d.cpuRequests);
  const logLevel = options.choose('log-level', ['', 'debug', 'info', 'error'], d.logLevel);
  return {
    karpenterService: options.text('karpenter-service', d.karpenterService),
    metricsPort: options.read('metrics-port', INTEGER, d.metricsPort),
    healthProbePort: options.read('health-probe-port', INTEGER, d.healthProbePort),
    kubeClientQps: options.read('kube-client-qps', INTEGER, d.kubeClientQps),
    kubeClientBurst: options.read('kube-client-burst', INTEGER, d.kubeClientBurst),
    enableProfiling: options.read('enable-profiling', BOOLEAN, d.enableProfiling),
    disableControllerWarmup: options.read('disable-controller-warmup', BOOLEAN, d.disableControllerWarmup),
    disableLeaderElection: options.read('disable-leader-election', BOOLEAN, d.disableLeaderElection),
    disableClusterStateObservability: options.read(
      'disable-cluster-state-observability',
      BOOLEAN,
      d.disableClusterStateObservability,
    ),
    leaderElectionName: options.text('leader-election-name', d.leaderElectionName),
    leaderElectionNamespace: options.text('leader-election-namespace', d.leaderElectionNamespace),
    memoryLimit: options.read('memory-limit', INTEGER, d.memoryLimit),
    cpuRequests: cpuRequests > 0 ? cpuRequests : d.cpuRequests,
    logLevel: logLevel === '' ? d.logLevel : logLevel,
    logOutputPaths: options.words('log-output-paths', d.logOutputPaths),
    logErrorOutputPaths: options.words('log-error-output-paths', d.logErrorOutputPaths),
    batchMaxMs: options.read('batch-max-duration', DURATION, d.batchMaxMs),
    batchIdleMs: options.read('batch-idle-duration', DURATION, d.batchIdleMs),
    preferencePolicy: options.choose('preference-policy', ['Respect', 'Ignore'], d.preferencePolicy),
    minValuesPolicy: options.choose('min-values-policy', ['Strict', 'BestEffort'], d.minValuesPolicy),
    ignoreDRARequests: options.read('ignore-dra-requests', BOOLEAN, d.ignoreDRARequests),
    featureGates: parseFeatureGates(options.text('feature-gates', ''), DEFAULT_FEATURE_GATES),
  };
}
