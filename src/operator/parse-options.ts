import { parseDuration } from '../apis/duration.ts';
import { DEFAULT_FEATURE_GATES, DEFAULT_OPTIONS, type FeatureGates, type OperatorOptions } from './options.ts';

/** An option has a value that it can't have; `option` is the flag's name. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
  readonly option: string;

  constructor(option: string, problem: string) {
    super(`--${option}: ${problem}`);
    this.option = option;
  }
}

type Values = Readonly<Record<string, string | undefined>>;

const environmentName = (flag: string): string => flag.toUpperCase().replaceAll('-', '_');

/**
 * Reads options: a flag wins over its environment variable, and that over the default. As upstream, a malformed number,
 * boolean or duration in the environment silently gives the default; in a flag it is an error.
 *
 * @param flags by upstream's flag names, without dashes: `{'batch-idle-duration': '2s'}`.
 * @throws {OptionError}
 */
export function parseOptions(flags: Values, environment: Values): OperatorOptions {
  const read = <T>(flag: string, parse: (text: string) => T | undefined, fallback: T, expected: string): T => {
    const given = flags[flag];
    if (given !== undefined) {
      const value = parse(given);
      if (value === undefined) throw new OptionError(flag, `expected ${expected}, got "${given}"`);
      return value;
    }
    const inherited = environment[environmentName(flag)];
    return (inherited === undefined ? undefined : parse(inherited)) ?? fallback;
  };
  /** Wrong words are errors wherever they come from. */
  const choose = <T extends string>(flag: string, choices: readonly T[], fallback: T): T => {
    const given = flags[flag] ?? environment[environmentName(flag)];
    if (given === undefined || given === '') return fallback;
    const choice = choices.find((c) => c === given);
    if (choice === undefined) throw new OptionError(flag, `expected one of ${choices.join(', ')}, got "${given}"`);
    return choice;
  };
  const d = DEFAULT_OPTIONS;
  return {
    metricsPort: read('metrics-port', port, d.metricsPort, 'a port'),
    healthProbePort: read('health-probe-port', port, d.healthProbePort, 'a port'),
    disableLeaderElection: read('disable-leader-election', boolean, d.disableLeaderElection, 'true or false'),
    disableClusterStateObservability: read(
      'disable-cluster-state-observability',
      boolean,
      d.disableClusterStateObservability,
      'true or false',
    ),
    leaderElectionName: read('leader-election-name', text, d.leaderElectionName, 'a name'),
    leaderElectionNamespace: read('leader-election-namespace', text, d.leaderElectionNamespace, 'a namespace'),
    logLevel: choose('log-level', ['debug', 'info', 'error'], d.logLevel),
    batchMaxMs: read('batch-max-duration', duration, d.batchMaxMs, 'a duration such as 10s'),
    batchIdleMs: read('batch-idle-duration', duration, d.batchIdleMs, 'a duration such as 1s'),
    preferencePolicy: choose('preference-policy', ['Respect', 'Ignore'], d.preferencePolicy),
    minValuesPolicy: choose('min-values-policy', ['Strict', 'BestEffort'], d.minValuesPolicy),
    ignoreDRARequests: read('ignore-dra-requests', boolean, d.ignoreDRARequests, 'true or false'),
    featureGates: parseFeatureGates(flags['feature-gates'] ?? environment.FEATURE_GATES ?? ''),
  };
}

const text = (value: string): string => value;

function port(value: string): number | undefined {
  const number = Number(value);
  return /^\d+$/.test(value) && number <= 65_535 ? number : undefined;
}

function boolean(value: string): boolean | undefined {
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

function duration(value: string): number | undefined {
  const ms = parseDuration(value);
  return ms !== undefined && ms >= 0 ? ms : undefined;
}

/**
 * `A=true,B=false`; gates that nobody knows are ignored, so that old settings outlive their gate.
 *
 * @throws {OptionError}
 */
export function parseFeatureGates(list: string): FeatureGates {
  const gates: Record<string, boolean> = { ...DEFAULT_FEATURE_GATES };
  for (const item of list.split(',').filter((part) => part.trim() !== '')) {
    const [name = '', value = ''] = item.split('=').map((part) => part.trim());
    const on = boolean(value.toLowerCase());
    if (on === undefined) throw new OptionError('feature-gates', `expected NAME=true or NAME=false, got "${item}"`);
    if (name in gates) gates[name] = on;
  }
  return { ...DEFAULT_FEATURE_GATES, ...gates };
}
