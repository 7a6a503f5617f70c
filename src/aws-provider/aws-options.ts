/** The options of the EC2 provider; flags and variables are in aws-provider.md section 2. */
export interface AwsOptions {
  /** Required. */
  readonly clusterName: string;
  /** An absolute URL; discovered from EKS when empty. */
  readonly clusterEndpoint: string;
  /** Base64 of PEM; that of the kubeconfig when empty. */
  readonly clusterCABundle: string;
  readonly isolatedVPC: boolean;
  readonly eksControlPlane: boolean;
  /** A share: 0.075 is 7.5 %. */
  readonly vmMemoryOverheadPercent: number;
  /** The queue's name; none when empty. */
  readonly interruptionQueue: string;
  readonly reservedENIs: number;
  readonly disableDryRun: boolean;
  readonly enableZonalShift: boolean;
  readonly amiRefreshIntervalMs: number;
  readonly subnetRefreshIntervalMs: number;
  readonly awsFeatureGates: { readonly NodeClassCEL: boolean };
}

const MINUTE_MS = 60_000;

export const DEFAULT_AWS_OPTIONS: AwsOptions = {
  clusterName: '',
  clusterEndpoint: '',
  clusterCABundle: '',
  isolatedVPC: false,
  eksControlPlane: false,
  vmMemoryOverheadPercent: 0.075,
  interruptionQueue: '',
  reservedENIs: 0,
  disableDryRun: false,
  enableZonalShift: false,
  amiRefreshIntervalMs: MINUTE_MS,
  subnetRefreshIntervalMs: MINUTE_MS,
  awsFeatureGates: { NodeClassCEL: false },
};
