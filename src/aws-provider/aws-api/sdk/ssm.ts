import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { SsmApi } from '../apis.ts';
import { type ServiceDeps, serviceCalls } from './service-calls.ts';

/** SSM, over the SDK. */
export function connectSsm(deps: ServiceDeps): SsmApi {
  const call = serviceCalls(SSMClient, deps);
  return {
    getParameter: call(GetParameterCommand),
  };
}
