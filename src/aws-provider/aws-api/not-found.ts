import { errorCode } from './error-code.ts';

/** Codes that say that a thing is not there, rather than that something went wrong (aws-provider.md section 20). */
const NOT_FOUND_CODES: ReadonlySet<string | undefined> = new Set([
  'InvalidCapacityReservationId.NotFound',
  'InvalidInstanceID.NotFound',
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'QueueDoesNotExist',
  'NoSuchEntity',
  'ParameterNotFound',
]);

/** Whether AWS says that what was asked for does not exist. */
export const isAwsNotFound = (error: unknown): boolean => NOT_FOUND_CODES.has(errorCode(error));
