import { describe, expect, test } from 'vitest';
import { OptionError } from './option-error.ts';
import { DEFAULT_FEATURE_GATES, DEFAULT_OPTIONS, type OperatorOptions } from './options.ts';
import { parseOptions } from './parse-options.ts';

const nameOf = (flag: string): string => flag.toUpperCase().replaceAll('-', '_');

/** Flag, what it may be set to, and what comes of it. */
const OPTIONS: readonly (readonly [string, string, Partial<OperatorOptions>])[] = [
  ['karpenter-service', 'karpenter', { karpenterService: 'karpenter' }],
  ['metrics-port', '9090', { metricsPort: 9090 }],
  ['health-probe-port', '9091', { healthProbePort: 9091 }],
  ['kube-client-qps', '20', { kubeClientQps: 20 }],
  ['kube-client-burst', '30', { kubeClientBurst: 30 }],
  ['enable-profiling', 'true', { enableProfiling: true }],
  ['disable-controller-warmup', 'false', { disableControllerWarmup: false }],
  ['disable-leader-election', 'true', { disableLeaderElection: true }],
  ['disable-cluster-state-observability', 'true', { disableClusterStateObservability: true }],
  ['leader-election-name', 'lock', { leaderElectionName: 'lock' }],
  ['leader-election-namespace', 'infra', { leaderElectionNamespace: 'infra' }],
  ['memory-limit', '1073741824', { memoryLimit: 2 ** 30 }],
  ['cpu-requests', '4000', { cpuRequests: 4000 }],
  ['log-level', 'debug', { logLevel: 'debug' }],
  ['log-output-paths', 'stderr,/var/log/karpenter', { logOutputPaths: ['stderr', '/var/log/karpenter'] }],
  ['log-error-output-paths', 'stdout', { logErrorOutputPaths: ['stdout'] }],
  ['batch-max-duration', '1m30s', { batchMaxMs: 90_000 }],
  ['batch-idle-duration', '250ms', { batchIdleMs: 250 }],
  ['preference-policy', 'Ignore', { preferencePolicy: 'Ignore' }],
  ['min-values-policy', 'BestEffort', { minValuesPolicy: 'BestEffort' }],
  ['ignore-dra-requests', 'false', { ignoreDRARequests: false }],
  ['feature-gates', 'NodeRepair=true', { featureGates: { ...DEFAULT_FEATURE_GATES, NodeRepair: true } }],
];

test('10.1: every option has upstream’s default', () => {
  expect(parseOptions({}, {})).toEqual({
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
  });
  expect(OPTIONS).toHaveLength(Object.keys(DEFAULT_OPTIONS).length);
});

test.each(OPTIONS)('10.1: --%s %s counts by flag and by environment variable', (flag, value, expected) => {
  expect(parseOptions({ [flag]: value }, {})).toEqual({ ...DEFAULT_OPTIONS, ...expected });
  expect(parseOptions({}, { [nameOf(flag)]: value })).toEqual({ ...DEFAULT_OPTIONS, ...expected });
});

test('10.1: a flag wins over the environment, and that over the default', () => {
  const environment = { BATCH_IDLE_DURATION: '3s', METRICS_PORT: '9090', ENABLE_PROFILING: 'true' };
  const options = parseOptions({ 'batch-idle-duration': '2s', 'enable-profiling': 'false' }, environment);
  expect(options).toEqual({ ...DEFAULT_OPTIONS, batchIdleMs: 2000, metricsPort: 9090 });
});

describe('10.1: a malformed value', () => {
  test.each([
    ['metrics-port', 'http', 'invalid value "http" for flag -metrics-port: parse error'],
    ['kube-client-qps', '', 'invalid value "" for flag -kube-client-qps: parse error'],
    ['kube-client-burst', '1.5', 'invalid value "1.5" for flag -kube-client-burst: parse error'],
    ['memory-limit', '1Gi', 'invalid value "1Gi" for flag -memory-limit: parse error'],
    ['batch-idle-duration', '2 s', 'invalid value "2 s" for flag -batch-idle-duration: parse error'],
    [
      'disable-leader-election',
      'yes',
      'invalid boolean value "yes" for -disable-leader-election: "yes" is not a valid value, must be true or false',
    ],
  ])('of --%s (%j) aborts as a flag, and is passed over in the environment', (flag, value, message) => {
    expect(() => parseOptions({ [flag]: value }, {})).toThrow(new OptionError(`parsing flags, ${message}`));
    expect(parseOptions({}, { [nameOf(flag)]: value })).toEqual(DEFAULT_OPTIONS);
  });

  test.each(['log-level', 'preference-policy', 'min-values-policy'])('of --%s aborts wherever it stands', (flag) => {
    const message = `validating cli flags / env vars, invalid ${nameOf(flag)} "Sometimes"`;
    expect(() => parseOptions({ [flag]: 'Sometimes' }, {})).toThrow(new OptionError(message));
    expect(() => parseOptions({}, { [nameOf(flag)]: 'Sometimes' })).toThrow(new OptionError(message));
  });
});

describe('10.1: what Go takes', () => {
  test.each([
    ['1', true],
    ['T', true],
    ['TRUE', true],
    ['f', false],
    ['False', false],
    ['yes', DEFAULT_OPTIONS.ignoreDRARequests],
  ])('for a boolean in the environment: %s', (value, expected) => {
    expect(parseOptions({}, { IGNORE_DRA_REQUESTS: value }).ignoreDRARequests).toBe(expected);
  });

  test.each(['1', 'TRUE', 'T'])('for a boolean is more than a flag takes: %s', (value) => {
    expect(() => parseOptions({ 'ignore-dra-requests': value }, {})).toThrow('must be true or false');
  });

  test.each([
    ['0x1f90', 8080],
    ['1_000', 1000],
    ['010', 8],
    ['-1', -1],
    ['+7', 7],
  ])('for a whole number in a flag: %s', (value, expected) => {
    expect(parseOptions({ 'metrics-port': value }, {}).metricsPort).toBe(expected);
  });

  test('for a whole number in the environment: decimal digits', () => {
    expect(parseOptions({}, { METRICS_PORT: '0x10', HEALTH_PROBE_PORT: '010' })).toEqual({
      ...DEFAULT_OPTIONS,
      healthProbePort: 10,
    });
  });
});

test('10.1: no level is the default level, and no cpu is one core', () => {
  expect(parseOptions({ 'log-level': '' }, {}).logLevel).toBe('info');
  for (const cpu of ['0', '-50']) expect(parseOptions({ 'cpu-requests': cpu }, {}).cpuRequests).toBe(1000);
});

describe('10.2: feature gates', () => {
  test('are switched one by one, unknown ones ignored, with blanks and Go’s booleans', () => {
    const list = 'StaticCapacity\t= true, ReservedCapacity=0,,Old=true';
    expect(parseOptions({ 'feature-gates': list }, {}).featureGates).toEqual({
      ...DEFAULT_FEATURE_GATES,
      StaticCapacity: true,
      ReservedCapacity: false,
    });
  });

  test('are off or on by default as upstream', () => {
    const on = Object.entries(DEFAULT_FEATURE_GATES).filter(([, value]) => value);
    expect(on.map(([name]) => name)).toEqual(['ReservedCapacity']);
    expect(Object.keys(DEFAULT_FEATURE_GATES)).toHaveLength(6);
  });

  test.each([
    ['StaticCapacity', 'malformed pair, expect string=bool'],
    ['A=b=c', 'invalid value of A: b=c, err: strconv.ParseBool: parsing "b=c": invalid syntax'],
    ['NodeRepair=yes', 'invalid value of NodeRepair: yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
  ])('abort when malformed, wherever they stand: %s', (list, message) => {
    const error = new OptionError(`parsing feature gates, ${message}`);
    expect(() => parseOptions({ 'feature-gates': list }, {})).toThrow(error);
    expect(() => parseOptions({}, { FEATURE_GATES: list })).toThrow(error);
  });
});

test('10.3: the Balanced policy and DRA have no gate', () => {
  const { featureGates } = parseOptions({ 'feature-gates': 'BalancedConsolidation=true,DynamicResources=true' }, {});
  expect(featureGates).toEqual(DEFAULT_FEATURE_GATES);
});
