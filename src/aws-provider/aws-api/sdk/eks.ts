import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { EksApi } from '../apis.ts';
import { type ServiceDeps, serviceCalls } from './service-calls.ts';

/** EKS, over the SDK. */
export function connectEks(deps: ServiceDeps): EksApi {
  const call = serviceCalls(EKSClient, deps);
  return {
    describeCluster: call(DescribeClusterCommand),
  };
}
