import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  IAMClient,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { IamApi } from '../apis.ts';
import { type ServiceDeps, serviceCalls } from './service-calls.ts';

/** IAM, over the SDK. */
export function connectIam(deps: ServiceDeps): IamApi {
  const call = serviceCalls(IAMClient, deps);
  return {
    getInstanceProfile: call(GetInstanceProfileCommand),
    createInstanceProfile: call(CreateInstanceProfileCommand),
    addRoleToInstanceProfile: call(AddRoleToInstanceProfileCommand),
    removeRoleFromInstanceProfile: call(RemoveRoleFromInstanceProfileCommand),
    deleteInstanceProfile: call(DeleteInstanceProfileCommand),
    listInstanceProfiles: call(ListInstanceProfilesCommand),
  };
}
