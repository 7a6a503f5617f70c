import { parseFeatureGates } from '../operator/feature-gates.ts';
import { OptionError } from '../operator/option-error.ts';
import { BOOLEAN, DURATION, FLOAT, INTEGER, OptionReader, type OptionValues } from '../operator/option-reader.ts';
import { type AwsOptions, DEFAULT_AWS_OPTIONS } from './aws-options.ts';

const SHORTEST_REFRESH_MS = 60_000;

/**
 * Reads the options of the EC2 provider (aws-provider.md section 2).
 *
 * @throws {OptionError} that names everything that is wrong.
 */
export function parseAwsOptions(flags: OptionValues, environment: OptionValues): AwsOptions {
  const options = new OptionReader(flags, environment);
  const d = DEFAULT_AWS_OPTIONS;
  const parsed: AwsOptions = {
    clusterName: options.text('cluster-name', d.clusterName),
    clusterEndpoint: options.text('cluster-endpoint', d.clusterEndpoint),
    clusterCABundle: options.text('cluster-ca-bundle', d.clusterCABundle),
    isolatedVPC: options.read('isolated-vpc', BOOLEAN, d.isolatedVPC),
    eksControlPlane: options.read('eks-control-plane', BOOLEAN, d.eksControlPlane),
    vmMemoryOverheadPercent: options.read('vm-memory-overhead-percent', FLOAT, d.vmMemoryOverheadPercent),
    interruptionQueue: options.text('interruption-queue', d.interruptionQueue),
    reservedENIs: options.read('reserved-enis', INTEGER, d.reservedENIs),
    disableDryRun: options.read('disable-dry-run', BOOLEAN, d.disableDryRun),
    enableZonalShift: options.read('enable-zonal-shift', BOOLEAN, d.enableZonalShift),
    amiRefreshIntervalMs: options.read('ami-refresh-interval', DURATION, d.amiRefreshIntervalMs),
    subnetRefreshIntervalMs: options.read('subnet-refresh-interval', DURATION, d.subnetRefreshIntervalMs),
    awsFeatureGates: parseFeatureGates(options.text('aws-feature-gates', ''), d.awsFeatureGates),
  };
  const problems = [...problemsOf(parsed)];
  if (problems.length > 0) throw new OptionError(`validating options, ${problems.join('; ')}`);
  return parsed;
}

/** In upstream's words and order. */
function* problemsOf(options: AwsOptions): Generator<string> {
  const { clusterEndpoint } = options;
  if (clusterEndpoint !== '' && !isEndpoint(clusterEndpoint)) {
    yield `cluster endpoint URL is not valid (cluster-endpoint=${clusterEndpoint})`;
  }
  if (options.vmMemoryOverheadPercent < 0) yield 'vm-memory-overhead-percent cannot be negative';
  if (options.reservedENIs < 0) yield 'reserved-enis cannot be negative';
  if (options.clusterName === '') yield 'missing field, cluster-name';
  if (options.amiRefreshIntervalMs < SHORTEST_REFRESH_MS) yield 'ami-refresh-interval must be at least 1m';
  if (options.subnetRefreshIntervalMs < SHORTEST_REFRESH_MS) yield 'subnet-refresh-interval must be at least 1m';
}

/** An absolute URL with a host; unlike Go, the platform's parser would find one in `https:///host`. */
function isEndpoint(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/([^/?#@]*@)?[^/?#:]/i.test(text) && URL.canParse(text);
}
