import type { ArcZonalShiftApi, EksApi, SsmApi } from '../../../src/aws-provider/aws-api/apis.ts';
import { awsError } from '../scripted-api.ts';
import type { FakeCloud } from './cloud.ts';

export function eksApi(cloud: FakeCloud): EksApi {
  return {
    describeCluster: async ({ name }) => {
      if (name === cloud.cluster.name) return { cluster: cloud.cluster };
      throw awsError('ResourceNotFoundException', `No cluster found for name: ${name}.`, 404);
    },
  };
}

export function ssmApi(cloud: FakeCloud): SsmApi {
  return {
    getParameter: async ({ Name = '' }) => {
      const value = cloud.parameters.get(Name);
      if (value === undefined) throw awsError('ParameterNotFound', 'UnknownError');
      return { Parameter: { Name, Value: value, Type: 'String' } };
    },
  };
}

export function arcZonalShiftApi(cloud: FakeCloud): ArcZonalShiftApi {
  return {
    getManagedResource: async ({ resourceIdentifier }) => {
      if (resourceIdentifier === cloud.cluster.arn) return { zonalShifts: cloud.zonalShifts };
      throw awsError('ResourceNotFoundException', 'The resource does not exist.', 404);
    },
  };
}
