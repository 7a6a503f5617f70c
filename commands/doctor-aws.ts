import {
  type AwsDiagnosis,
  connectAws,
  type DoctorCluster,
  diagnoseAws,
  NOT_ASKED,
  parseAwsOptions,
  StartUpError,
} from '../src/aws-provider/index.ts';
import { givenOptions } from '../src/cli/flags/controller-flags.ts';
import { fail } from '../src/doctor/finding.ts';
import type { RunChecksOptions } from '../src/doctor/run-checks.ts';
import type { Clock } from '../src/kube/clock.ts';
import { NO_METRICS } from '../src/metrics/metrics.ts';
import { controllerAwsFlags } from './controller-aws-flags.ts';
import { asUsageError } from './controller-options.ts';
import type { ControllerFlags, Environment } from './controller-providers.ts';
import type { ReachedCluster } from './doctor-cluster.ts';

export interface DoctorAwsInput {
  readonly flags: ControllerFlags;
  readonly env: Environment;
  readonly clock: Clock;
  readonly cluster: ReachedCluster | undefined;
  /** The feature gate ReservedCapacity. */
  readonly reservedCapacity: boolean;
  readonly limits: Omit<RunChecksOptions, 'clock'>;
  /** Of this program, for the user agent. */
  readonly version: string;
}

/** Stands for a cluster that the command line does not name, which is a finding and no reason to stop. */
const UNNAMED = 'unnamed';

/** Everything that is asked of AWS. */
export async function awsFindings(input: DoctorAwsInput): Promise<AwsDiagnosis> {
  const { env, clock, limits, version, reservedCapacity } = input;
  const options = awsOptions(input);
  try {
    const connection = await connectAws({ metrics: NO_METRICS, clock, version, env });
    const cluster = doctorCluster(input.cluster);
    return await diagnoseAws({
      ...connection,
      ...(cluster ? { cluster } : {}),
      env,
      clock,
      options,
      reservedCapacity,
      limits,
    });
  } catch (error) {
    if (!(error instanceof StartUpError)) throw error;
    const finding = fail('region', 'none to be found', {
      fix: ['AWS_REGION=NAME, or a region in the shared configuration'],
    });
    return { findings: [finding, NOT_ASKED].map((each) => ({ area: 'AWS', ...each })), statements: [] };
  }
}

function awsOptions({ flags, env }: DoctorAwsInput) {
  const given = givenOptions(controllerAwsFlags, flags);
  const clusterName = given['cluster-name'] ?? env.CLUSTER_NAME ?? '';
  try {
    return { ...parseAwsOptions({ ...given, 'cluster-name': clusterName || UNNAMED }, env), clusterName };
  } catch (error) {
    throw asUsageError(error);
  }
}

function doctorCluster(cluster: ReachedCluster | undefined): DoctorCluster | undefined {
  if (!cluster) return undefined;
  const { client, access, version } = cluster;
  return { client, server: access.server, version, hasCA: access.tls.ca !== undefined && access.tls.ca !== '' };
}
