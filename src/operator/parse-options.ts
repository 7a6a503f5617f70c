import { parseDuration } from '../apis/duration.ts';
import { parseFeatureGates } from './feature-gates.ts';
import { goBoolean, goDecimal, goInteger } from './go-values.ts';
import { OptionError } from './option-error.ts';
import { DEFAULT_OPTIONS, type OperatorOptions } from './options.ts';

type Values = Readonly<Record<string, string | undefined>>;

/** How one type of option is read from a flag, where anything else is an error, and from the environment. */
interface Reader<T> {
  readonly fromFlag: (text: string) => T | undefined;
  readonly fromEnvironment: (text: string) => T | undefined;
  readonly problem: (flag: string, text: string) => string;
}

const parseError = (flag: string, text: string): string =>
  `invalid value ${JSON.stringify(text)} for flag -${flag}: parse error`;

const INTEGER: Reader<number> = { fromFlag: goInteger, fromEnvironment: goDecimal, problem: parseError };
const DURATION: Reader<number> = { fromFlag: parseDuration, fromEnvironment: parseDuration, problem: parseError };
/** Flags take the two words only, the environment whatever Go takes for a boolean. */
const BOOLEAN: Reader<boolean> = {
  fromFlag: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  fromEnvironment: goBoolean,
  problem: (flag, text) => {
    const value = JSON.stringify(text);
    return `invalid boolean value ${value} for -${flag}: ${value} is not a valid value, must be true or false`;
  },
};

const environmentName = (flag: string): string => flag.toUpperCase().replaceAll('-', '_');

/**
 * Reads options: a flag wins over its environment variable, and that over the default. As upstream, a malformed number,
 * boolean or duration in the environment silently gives the default; in a flag it is an error (karpenter-core.md 10.1).
 *
 * @param flags by upstream's flag names, without dashes: `{'batch-idle-duration': '2s'}`.
 * @throws {OptionError}
 */
export function parseOptions(flags: Values, environment: Values): OperatorOptions {
  const read = <T>(flag: string, { fromFlag, fromEnvironment, problem }: Reader<T>, fallback: T): T => {
    const given = flags[flag];
    if (given !== undefined) {
      const value = fromFlag(given);
      if (value === undefined) throw new OptionError(`parsing flags, ${problem(flag, given)}`);
      return value;
    }
    const inherited = environment[environmentName(flag)];
    return (inherited === undefined ? undefined : fromEnvironment(inherited)) ?? fallback;
  };
  const text = (flag: string, fallback: string): string =>
    flags[flag] ?? environment[environmentName(flag)] ?? fallback;
  const words = (flag: string, fallback: readonly string[]): readonly string[] =>
    text(flag, fallback.join(',')).split(',');
  /** Wrong words are errors wherever they come from. */
  const choose = <T extends string>(flag: string, choices: readonly T[], fallback: T): T => {
    const given = text(flag, fallback);
    const choice = choices.find((c) => c === given);
    if (choice !== undefined) return choice;
    const name = environmentName(flag);
    throw new OptionError(`validating cli flags / env vars, invalid ${name} ${JSON.stringify(given)}`);
  };
  const d = DEFAULT_OPTIONS;
  const cpuRequests = read('cpu-requests', INTEGER, d.cpuRequests);
  const logLevel = choose('log-level', ['', 'debug', 'info', 'error'], d.logLevel);
  return {
    karpenterService: text('karpenter-service', d.karpenterService),
    metricsPort: read('metrics-port', INTEGER, d.metricsPort),
    healthProbePort: read('health-probe-port', INTEGER, d.healthProbePort),
    kubeClientQps: read('kube-client-qps', INTEGER, d.kubeClientQps),
    kubeClientBurst: read('kube-client-burst', INTEGER, d.kubeClientBurst),
    enableProfiling: read('enable-profiling', BOOLEAN, d.enableProfiling),
    disableControllerWarmup: read('disable-controller-warmup', BOOLEAN, d.disableControllerWarmup),
    disableLeaderElection: read('disable-leader-election', BOOLEAN, d.disableLeaderElection),
    disableClusterStateObservability: read(
      'disable-cluster-state-observability',
      BOOLEAN,
      d.disableClusterStateObservability,
    ),
    leaderElectionName: text('leader-election-name', d.leaderElectionName),
    leaderElectionNamespace: text('leader-election-namespace', d.leaderElectionNamespace),
    memoryLimit: read('memory-limit', INTEGER, d.memoryLimit),
    cpuRequests: cpuRequests > 0 ? cpuRequests : d.cpuRequests,
    logLevel: logLevel === '' ? d.logLevel : logLevel,
    logOutputPaths: words('log-output-paths', d.logOutputPaths),
    logErrorOutputPaths: words('log-error-output-paths', d.logErrorOutputPaths),
    batchMaxMs: read('batch-max-duration', DURATION, d.batchMaxMs),
    batchIdleMs: read('batch-idle-duration', DURATION, d.batchIdleMs),
    preferencePolicy: choose('preference-policy', ['Respect', 'Ignore'], d.preferencePolicy),
    minValuesPolicy: choose('min-values-policy', ['Strict', 'BestEffort'], d.minValuesPolicy),
    ignoreDRARequests: read('ignore-dra-requests', BOOLEAN, d.ignoreDRARequests),
    featureGates: parseFeatureGates(text('feature-gates', '')),
  };
}
