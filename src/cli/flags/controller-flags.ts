import { Flags } from '@oclif/core';

const option = (description: string, helpValue: string) => Flags.string({ description, helpValue });
const BOOL = 'BOOL';

/** Options of upstream's controller under their own names; without a flag the environment variable of that name counts. */
export const controllerFlags = {
  'metrics-port': option('port of /metrics; 0 for none', 'PORT'),
  'health-probe-port': option('port of /healthz and /readyz; 0 for none', 'PORT'),
  'kube-client-qps': option('requests per second to the API; negative for no limit', 'N'),
  'kube-client-burst': option('requests to the API at once', 'N'),
  'enable-profiling': option("serve Node's profiles at /debug/pprof/ of the metrics port", BOOL),
  'disable-controller-warmup': option('fill caches only after becoming the leader', BOOL),
  'disable-leader-election': option('work at once, without a lease', BOOL),
  'disable-cluster-state-observability': option('no metrics and events about the state of objects', BOOL),
  'leader-election-name': option('name of the lease', 'NAME'),
  'leader-election-namespace': option('namespace of the lease; the own one in a pod, else kube-system', 'NAME'),
  'memory-limit': option('bytes of the container; the heap may take 90 % of them', 'BYTES'),
  'cpu-requests': option('millicores of the container: the more, the more is done at once', 'N'),
  'log-level': option('debug, info or error', 'LEVEL'),
  'log-output-paths': option('files to log to, or stdout and stderr, separated by commas', 'LIST'),
  'log-error-output-paths': option('where problems with logging itself are told', 'LIST'),
  'batch-max-duration': option('longest batch of pending pods', 'DURATION'),
  'batch-idle-duration': option('quiet time that ends a batch', 'DURATION'),
  'preference-policy': option('Respect or Ignore', 'POLICY'),
  'min-values-policy': option('Strict or BestEffort', 'POLICY'),
  'ignore-dra-requests': option('leave pods with resource claims alone', BOOL),
  'feature-gates': option('for example SpotToSpotConsolidation=true', 'LIST'),
  'karpenter-service': Flags.string({ description: 'accepted, without effect', helpValue: 'NAME', hidden: true }),
};

/** The values that were given, by name. */
export function givenOptions(flags: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = Object.keys(controllerFlags).flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

/**
 * Arguments as Go's flag package takes them, in the spelling of the other commands: one dash will do, and a boolean
 * without a value is true.
 */
export function fromGoArguments(argv: readonly string[]): readonly string[] {
  return argv.map((word, i) => {
    const [, name = '', value] = /^--?([a-z][a-z-]+)(=.*)?$/s.exec(word) ?? [];
    if (!Object.hasOwn(controllerFlags, name)) return word;
    const isBoolean = controllerFlags[name as keyof typeof controllerFlags].helpValue === BOOL;
    const isBare = value === undefined && !/^(true|false)$/.test(argv[i + 1] ?? '');
    return `--${name}${value ?? (isBoolean && isBare ? '=true' : '')}`;
  });
}
