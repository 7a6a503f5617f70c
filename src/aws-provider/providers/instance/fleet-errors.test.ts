import { expect, test } from 'vitest';
import { CreateError, InsufficientCapacityError } from '../../../cloudprovider/errors.ts';
import { logFieldsOf } from '../../../logging/error-fields.ts';
import { combinedError } from './fleet-errors.ts';

const failure = (ErrorCode: string, ErrorMessage = 'no') => ({ ErrorCode, ErrorMessage });
const ROLE = failure('AuthFailure.ServiceLinkedRoleCreationNotPermitted');

test('20: shortages and the missing role for spot together are a want of capacity, each told once', () => {
  const shortage = failure('VcpuLimitExceeded');
  const error = combinedError([shortage, ROLE, failure('InsufficientInstanceCapacity'), shortage]);
  expect(error).toBeInstanceOf(InsufficientCapacityError);
  expect(error.message).toBe(
    'insufficient capacity, with fleet error(s), AuthFailure.ServiceLinkedRoleCreationNotPermitted: no; ' +
      'InsufficientInstanceCapacity: no; VcpuLimitExceeded: no',
  );
});

test('20: with anything else among them it is told as what it is', () => {
  const error = combinedError([failure('InsufficientInstanceCapacity'), failure('InvalidAMIID.NotFound')]);
  expect(error).toBeInstanceOf(CreateError);
  expect(error).toMatchObject({
    conditionReason: 'AMINotFound',
    conditionMessage: expect.stringMatching(/^AMI used for instance launch/),
    message: 'creating nodeclaim, InsufficientInstanceCapacity: no; InvalidAMIID.NotFound: no',
  });
});

test('20: the log has the fields of a call that EC2 has answered', () => {
  expect(logFieldsOf(combinedError([ROLE]))).toEqual({
    'aws-service-name': 'EC2',
    'aws-operation-name': 'CreateFleet',
    'aws-status-code': 200,
    'aws-error-code': 'UnfulfillableCapacity',
  });
});
