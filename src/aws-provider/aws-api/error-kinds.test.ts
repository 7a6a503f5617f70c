import { expect, test } from 'vitest';
import { awsError } from '../../../test/aws/scripted-api.ts';
import { isAwsNotFound } from './error-kinds.ts';

test.each([
  ['InvalidCapacityReservationId.NotFound', true],
  ['InvalidInstanceID.NotFound', true],
  ['InvalidLaunchTemplateName.NotFoundException', true],
  ['InvalidLaunchTemplateId.NotFound', true],
  ['QueueDoesNotExist', true],
  ['NoSuchEntity', true],
  ['NoSuchEntityException', true],
  ['ParameterNotFound', true],
  ['InvalidAMIID.NotFound', false],
  ['UnauthorizedOperation', false],
])('20: that %s means that there is no such thing: %s', (code, expected) => {
  expect(isAwsNotFound(awsError(code))).toBe(expected);
});
