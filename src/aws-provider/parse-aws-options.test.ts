import { describe, expect, test } from 'vitest';
import { DEFAULT_AWS_OPTIONS } from './aws-options.ts';
import { parseAwsOptions } from './parse-aws-options.ts';

const NAMED = { 'cluster-name': 'demo' };

test('2: every option has upstream’s default, but for the name of the cluster, which is required', () => {
  expect(parseAwsOptions(NAMED, {})).toEqual({
    clusterName: 'demo',
    clusterEndpoint: '',
    clusterCABundle: '',
    isolatedVPC: false,
    eksControlPlane: false,
    vmMemoryOverheadPercent: 0.075,
    interruptionQueue: '',
    reservedENIs: 0,
    disableDryRun: false,
    enableZonalShift: false,
    amiRefreshIntervalMs: 60_000,
    subnetRefreshIntervalMs: 60_000,
    awsFeatureGates: { NodeClassCEL: false },
  });
  expect(() => parseAwsOptions({}, {})).toThrow('validating options, missing field, cluster-name');
});

test('2: each has its environment variable, and a flag wins', () => {
  const environment = {
    CLUSTER_NAME: 'other',
    CLUSTER_ENDPOINT: 'https://api.example.com',
    CLUSTER_CA_BUNDLE: 'Y2E=',
    ISOLATED_VPC: 'true',
    EKS_CONTROL_PLANE: 'true',
    VM_MEMORY_OVERHEAD_PERCENT: '0.05',
    INTERRUPTION_QUEUE: 'queue',
    RESERVED_ENIS: '1',
    DISABLE_DRY_RUN: 'true',
    ENABLE_ZONAL_SHIFT: 'true',
    AMI_REFRESH_INTERVAL: '5m',
    SUBNET_REFRESH_INTERVAL: '2m',
    AWS_FEATURE_GATES: 'NodeClassCEL=true,Unknown=true',
  };
  expect(parseAwsOptions(NAMED, environment)).toEqual({
    clusterName: 'demo',
    clusterEndpoint: 'https://api.example.com',
    clusterCABundle: 'Y2E=',
    isolatedVPC: true,
    eksControlPlane: true,
    vmMemoryOverheadPercent: 0.05,
    interruptionQueue: 'queue',
    reservedENIs: 1,
    disableDryRun: true,
    enableZonalShift: true,
    amiRefreshIntervalMs: 300_000,
    subnetRefreshIntervalMs: 120_000,
    awsFeatureGates: { NodeClassCEL: true },
  });
});

test('2: what can’t be read in the environment silently gives the default; in a flag it is an error', () => {
  const environment = {
    VM_MEMORY_OVERHEAD_PERCENT: 'much',
    RESERVED_ENIS: 'some',
    ISOLATED_VPC: 'maybe',
    AMI_REFRESH_INTERVAL: 'often',
  };
  expect(parseAwsOptions(NAMED, environment)).toEqual({ ...DEFAULT_AWS_OPTIONS, clusterName: 'demo' });
  expect(() => parseAwsOptions({ ...NAMED, 'vm-memory-overhead-percent': 'much' }, {})).toThrow(
    'parsing flags, invalid value "much" for flag -vm-memory-overhead-percent: parse error',
  );
});

describe('2: what is wrong is told', () => {
  test.each([
    ['cluster-endpoint', '00000000000000000000000.com', 'cluster endpoint URL is not valid'],
    ['cluster-endpoint', 'https:///path', 'cluster endpoint URL is not valid'],
    ['vm-memory-overhead-percent', '-0.01', 'vm-memory-overhead-percent cannot be negative'],
    ['reserved-enis', '-1', 'reserved-enis cannot be negative'],
    ['ami-refresh-interval', '59s', 'ami-refresh-interval must be at least 1m'],
    ['subnet-refresh-interval', '30s', 'subnet-refresh-interval must be at least 1m'],
    ['aws-feature-gates', 'NodeClassCEL', 'parsing feature gates, malformed pair, expect string=bool'],
  ])('%s %s', (flag, value, problem) => {
    expect(() => parseAwsOptions({ ...NAMED, [flag]: value }, {})).toThrow(problem);
  });

  test('all at once', () => {
    expect(() => parseAwsOptions({ 'reserved-enis': '-1', 'cluster-endpoint': 'nowhere' }, {})).toThrow(
      'validating options, cluster endpoint URL is not valid (cluster-endpoint=nowhere); ' +
        'reserved-enis cannot be negative; missing field, cluster-name',
    );
  });
});
