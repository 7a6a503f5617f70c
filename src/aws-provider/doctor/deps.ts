import type { RunChecksOptions } from '../../doctor/run-checks.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { AwsApis, IdentityApi } from '../aws-api/apis.ts';
import type { AwsOptions } from '../aws-options.ts';

/** The cluster that the controller would work for. */
export interface DoctorCluster {
  readonly client: Pick<Client, 'list'>;
  /** Where this program reaches its API. */
  readonly server: string;
  /** `v1.36.3`. */
  readonly version: string;
  /** Whether the authority that signed the API server's certificate is known. */
  readonly hasCA: boolean;
}

export interface AwsDoctorDeps {
  readonly region: string;
  readonly apis: AwsApis;
  readonly identity: IdentityApi;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Those that a controller would get; its cluster may have no name yet. */
  readonly options: AwsOptions;
  /** The feature gate ReservedCapacity. */
  readonly reservedCapacity: boolean;
  /** Absent when it does not answer. */
  readonly cluster?: DoctorCluster;
  readonly limits: Omit<RunChecksOptions, 'clock'>;
}

/** The heads under which findings are told. */
export const AWS = 'AWS';
export const PERMISSIONS = 'Permissions';
