import type { InstanceProfile } from '@aws-sdk/client-iam';
import type { IamApi } from '../../../src/aws-provider/aws-api/apis.ts';
import { awsError } from '../scripted-api.ts';
import type { FakeCloud } from './cloud.ts';
import { ACCOUNT } from './network.ts';
import { pageOf } from './paging.ts';

export function iamApi(cloud: FakeCloud): IamApi {
  const profileOf = (name = ''): InstanceProfile => {
    const profile = cloud.profiles.get(name);
    if (profile) return profile;
    throw awsError('NoSuchEntity', `Instance Profile ${name} cannot be found.`, 404);
  };
  return {
    getInstanceProfile: async ({ InstanceProfileName }) => ({
      InstanceProfile: structuredClone(profileOf(InstanceProfileName)),
    }),
    createInstanceProfile: async ({ InstanceProfileName = '', Path = '/', Tags = [] }) => {
      if (cloud.profiles.has(InstanceProfileName)) {
        throw awsError('EntityAlreadyExists', `Instance Profile ${InstanceProfileName} already exists.`, 409);
      }
      const profile: InstanceProfile = {
        InstanceProfileName,
        InstanceProfileId: cloud.newId('AIPA'),
        Arn: `arn:aws:iam::${ACCOUNT}:instance-profile${Path}${InstanceProfileName}`,
        Path,
        Tags,
        Roles: [],
        CreateDate: new Date(cloud.clock.now()),
      };
      cloud.profiles.set(InstanceProfileName, profile);
      return { InstanceProfile: structuredClone(profile) };
    },
    addRoleToInstanceProfile: async ({ InstanceProfileName, RoleName = '' }) => {
      const profile = profileOf(InstanceProfileName);
      if (cloud.roles && !cloud.roles.has(RoleName)) {
        throw awsError('NoSuchEntity', `The role with name ${RoleName} cannot be found.`, 404);
      }
      if (profile.Roles?.length) {
        throw awsError('LimitExceeded', 'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1', 409);
      }
      const role = {
        RoleName,
        Path: '/',
        RoleId: cloud.newId('AROA'),
        Arn: `arn:aws:iam::${ACCOUNT}:role/${RoleName}`,
        CreateDate: new Date(cloud.clock.now()),
      };
      profile.Roles = [role];
    },
    removeRoleFromInstanceProfile: async ({ InstanceProfileName, RoleName }) => {
      const profile = profileOf(InstanceProfileName);
      if (!profile.Roles?.some((role) => role.RoleName === RoleName)) {
        throw awsError('NoSuchEntity', `The role ${RoleName} is not in the instance profile.`, 404);
      }
      profile.Roles = [];
    },
    deleteInstanceProfile: async ({ InstanceProfileName = '' }) => {
      if (profileOf(InstanceProfileName).Roles?.length) {
        throw awsError('DeleteConflict', 'Cannot delete entity, must remove roles from instance profile first.', 409);
      }
      cloud.profiles.delete(InstanceProfileName);
    },
    listInstanceProfiles: async ({ PathPrefix = '/', Marker, MaxItems = 100 }) => {
      const found = [...cloud.profiles.values()].filter(({ Path = '/' }) => Path.startsWith(PathPrefix));
      const page = pageOf(found, { NextToken: Marker, MaxResults: MaxItems }, cloud.pageLimit);
      return {
        InstanceProfiles: structuredClone(page.items),
        IsTruncated: page.NextToken !== undefined,
        ...(page.NextToken && { Marker: page.NextToken }),
      };
    },
  };
}
