import { Flags } from '@oclif/core';
import { DEFAULT_OPTIONS as DEFAULTS } from '../../operator/options.ts';

/** An option of upstream's. Its default is only told: without a flag, the environment comes before it. */
export const option = (description: string, helpValue: string, byDefault?: string | number | boolean) =>
  Flags.string({
    description: byDefault === undefined ? description : `${description} (default ${byDefault})`,
    helpValue,
  });
const seconds = (ms: number): string => `${ms / 1000}s`;
/** What `fromGoArguments` knows booleans by. */
export const BOOL = 'BOOL';

/** Options of upstream's controller under their own names; without a flag the environment variable of that name counts. */
export const controllerFlags = {
  'metrics-port': option('port of /metrics; 0 for none', 'PORT', DEFAULTS.metricsPort),
  'health-probe-port': option('port of /healthz and /readyz; 0 for none', 'PORT', DEFAULTS.healthProbePort),
  'kube-client-qps': option('requests per second to the API; negative for no limit', 'N', DEFAULTS.kubeClientQps),
  'kube-client-burst': option('requests to the API at once', 'N', DEFAULTS.kubeClientBurst),
  'enable-profiling': option(
    "serve Node's profiles at /debug/pprof/ of the metrics port",
    BOOL,
    DEFAULTS.enableProfiling,
  ),
  'disable-controller-warmup': option(
    'fill caches only after becoming the leader',
    BOOL,
    DEFAULTS.disableControllerWarmup,
  ),
  'disable-leader-election': option('work at once, without a lease', BOOL, DEFAULTS.disableLeaderElection),
  'disable-cluster-state-observability': option(
    'no metrics and events about the state of objects',
    BOOL,
    DEFAULTS.disableClusterStateObservability,
  ),
  'leader-election-name': option('name of the lease', 'NAME', DEFAULTS.leaderElectionName),
  'leader-election-namespace': option('namespace of the lease; the own one in a pod, else kube-system', 'NAME'),
  'memory-limit': option('bytes of the container; the heap may take 90 % of them', 'BYTES'),
  'cpu-requests': option('millicores of the container: the more, the more is done at once', 'N', DEFAULTS.cpuRequests),
  'log-level': option('debug, info or error', 'LEVEL', DEFAULTS.logLevel),
  'log-output-paths': option(
    'files to log to, or stdout and stderr, separated by commas',
    'LIST',
    DEFAULTS.logOutputPaths.join(),
  ),
  'log-error-output-paths': option(
    'where problems with logging itself are told',
    'LIST',
    DEFAULTS.logErrorOutputPaths.join(),
  ),
  'batch-max-duration': option('longest batch of pending pods', 'DURATION', seconds(DEFAULTS.batchMaxMs)),
  'batch-idle-duration': option('quiet time that ends a batch', 'DURATION', seconds(DEFAULTS.batchIdleMs)),
  'preference-policy': option('Respect or Ignore', 'POLICY', DEFAULTS.preferencePolicy),
  'min-values-policy': option('Strict or BestEffort', 'POLICY', DEFAULTS.minValuesPolicy),
  'ignore-dra-requests': option('leave pods with resource claims alone', BOOL, DEFAULTS.ignoreDRARequests),
  'feature-gates': option('for example SpotToSpotConsolidation=true', 'LIST'),
  'karpenter-service': Flags.string({ description: 'accepted, without effect', helpValue: 'NAME', hidden: true }),
};

type Options = Readonly<Record<string, { readonly helpValue?: string | readonly string[] | undefined }>>;

/** The values that were given of these options, by name. */
export function givenOptions(
  options: Options,
  flags: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const given = Object.keys(options).flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

/**
 * Arguments as Go's flag package takes them, in the spelling of the other commands: one dash will do, and a boolean
 * without a value is true.
 */
export function fromGoArguments(options: Options, argv: readonly string[]): readonly string[] {
  return argv.map((word, i) => {
    const [, name = '', value] = /^--?([a-z][a-z-]+)(=.*)?$/s.exec(word) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) return word;
    const isBoolean = option.helpValue === BOOL;
    const isBare = value === undefined && !/^(true|false)$/.test(argv[i + 1] ?? '');
    return `--${name}${value ?? (isBoolean && isBare ? '=true' : '')}`;
  });
}
