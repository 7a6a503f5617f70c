import { errorCode, httpStatusOf } from './error-code.ts';

const NOT_FOUND: ReadonlySet<string | undefined> = new Set([
  'InvalidCapacityReservationId.NotFound',
  'InvalidInstanceID.NotFound',
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'QueueDoesNotExist',
  'NoSuchEntity',
  // What the SDK calls the same.
  'NoSuchEntityException',
  'ParameterNotFound',
]);

/** What was asked for does not exist (aws-provider.md section 20). */
export const isAwsNotFound = (error: unknown): boolean => NOT_FOUND.has(errorCode(error));

/** There is a launch template of that name. */
export const isTemplateNameTaken = (error: unknown): boolean =>
  errorCode(error) === 'InvalidLaunchTemplateName.AlreadyExistsException';

/** The dry run would have succeeded. */
export const isDryRunSuccess = (error: unknown): boolean => errorCode(error) === 'DryRunOperation';

const THROTTLED: ReadonlySet<string | undefined> = new Set([
  // EC2
  'RequestLimitExceeded',
  // IAM and other older services
  'Throttling',
  // EKS, SSM, Pricing, SQS
  'ThrottlingException',
  'TooManyRequestsException',
]);

/** We ask too often. Each service has its own word for it. */
export const isRateLimited = (error: unknown): boolean => THROTTLED.has(errorCode(error));

/** AWS is to blame: asking again may help. */
export const isServerError = (error: unknown): boolean => (httpStatusOf(error) ?? 0) >= 500;

/** Nothing is known of what was asked for: AWS is unwell, asked too often, or out of reach. */
export const isPassing = (error: unknown): boolean =>
  isServerError(error) || isRateLimited(error) || (errorCode(error) !== undefined && httpStatusOf(error) === undefined);

/** EC2 has refused the call for want of permission. */
export const isUnauthorizedOperation = (error: unknown): boolean => errorCode(error) === 'UnauthorizedOperation';

export const isUserDataTooLarge = (error: unknown): boolean =>
  errorCode(error) === 'InvalidUserData.Malformed' && errorText(error).includes('User data is limited to');

/** EC2 does not know the instance profile, perhaps not yet: IAM tells it with delay. */
export const isInstanceProfileUnknown = (error: unknown): boolean =>
  errorCode(error) === 'InvalidParameterValue' && errorText(error).includes('Invalid IAM Instance Profile name');

/** Codes and messages of an error and its causes, to look for AWS's phrases in. */
export function errorText(error: unknown): string {
  const lines: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) lines.push(`${cause.name}: ${cause.message}`);
  return lines.join('\n');
}
