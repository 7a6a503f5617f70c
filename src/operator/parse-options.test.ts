import { describe, expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from './options.ts';
import { OptionError, parseOptions } from './parse-options.ts';

test('nothing given gives the defaults', () => {
  expect(parseOptions({}, {})).toEqual(DEFAULT_OPTIONS);
});

test('a flag wins over the environment, and that over the default', () => {
  const environment = { BATCH_IDLE_DURATION: '3s', METRICS_PORT: '9090' };
  const options = parseOptions({ 'batch-idle-duration': '2s' }, environment);
  expect([options.batchIdleMs, options.metricsPort, options.batchMaxMs]).toEqual([2000, 9090, 10_000]);
});

describe('a malformed value', () => {
  test.each([
    ['metrics-port', 'http'],
    ['batch-idle-duration', '2 s'],
    ['disable-leader-election', 'yes'],
  ])('of --%s is an error as a flag and ignored in the environment', (flag, value) => {
    expect(() => parseOptions({ [flag]: value }, {})).toThrow(OptionError);
    expect(parseOptions({}, { [flag.toUpperCase().replaceAll('-', '_')]: value })).toEqual(DEFAULT_OPTIONS);
  });

  test.each(['log-level', 'preference-policy', 'min-values-policy'])('of --%s is an error anywhere', (flag) => {
    const name = flag.toUpperCase().replaceAll('-', '_');
    expect(() => parseOptions({}, { [name]: 'Sometimes' })).toThrow(`--${flag}: expected one of`);
  });
});

describe('feature gates', () => {
  test('are switched one by one, unknown ones ignored', () => {
    const { featureGates } = parseOptions(
      { 'feature-gates': 'StaticCapacity=true, ReservedCapacity=false,Old=true' },
      {},
    );
    expect(featureGates).toEqual({ ...DEFAULT_OPTIONS.featureGates, StaticCapacity: true, ReservedCapacity: false });
  });

  test('need a value', () => {
    expect(() => parseOptions({}, { FEATURE_GATES: 'StaticCapacity' })).toThrow(/NAME=true/);
  });
});
