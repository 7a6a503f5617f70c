import { DEFAULT_AWS_OPTIONS as DEFAULTS } from '../src/aws-provider/aws-options.ts';
import { BOOL, option } from '../src/cli/flags/controller-flags.ts';

const awsOption: typeof option = (...parts) => ({ ...option(...parts), helpGroup: 'EC2 PROVIDER' });

/** Options of upstream's EC2 provider. */
export const controllerAwsFlags = {
  'cluster-name': awsOption('name of the cluster; required', 'NAME'),
  'cluster-endpoint': awsOption('URL of the API server for new nodes; EKS is asked unless told', 'URL'),
  'cluster-ca-bundle': awsOption("base64 of the API server's CA for new nodes; the kubeconfig's unless told", 'BASE64'),
  'eks-control-plane': awsOption('ask EKS for the version of the cluster', BOOL, DEFAULTS.eksControlPlane),
  'isolated-vpc': awsOption(
    'no pricing and no IAM clean-up: nothing without a VPC endpoint',
    BOOL,
    DEFAULTS.isolatedVPC,
  ),
  'vm-memory-overhead-percent': awsOption(
    "share of an instance's memory that its hypervisor keeps",
    'SHARE',
    DEFAULTS.vmMemoryOverheadPercent,
  ),
  'interruption-queue': awsOption('name of the SQS queue with interruption messages', 'NAME'),
  'reserved-enis': awsOption('network interfaces that carry no pods', 'N', DEFAULTS.reservedENIs),
  'disable-dry-run': awsOption('no trial calls when an EC2NodeClass is validated', BOOL, DEFAULTS.disableDryRun),
  'enable-zonal-shift': awsOption('keep out of zones that ARC shifts away from', BOOL, DEFAULTS.enableZonalShift),
  'ami-refresh-interval': awsOption('how long found AMIs hold', 'DURATION', '1m'),
  'subnet-refresh-interval': awsOption('how long found subnets hold', 'DURATION', '1m'),
  'aws-feature-gates': awsOption('for example NodeClassCEL=true', 'LIST'),
};
