import { errorText } from './error-kinds.ts';

/** A condition's reason and message. */
export interface ReasonMessage {
  readonly reason: string;
  readonly message: string;
}

/** Every phrase must occur. */
interface Kind extends ReasonMessage {
  readonly phrases: readonly string[];
}

const kind = (reason: string, message: string, ...phrases: readonly string[]): Kind => ({ reason, message, phrases });

const UNAUTHORIZED = /UnauthorizedOperation|AccessDenied|AuthFailure/;

const BEFORE_UNAUTHORIZED: readonly Kind[] = [
  kind(
    'SpotSLRCreationFailed',
    'User does not have sufficient permission to create the Spot ServiceLinkedRole to launch spot instances',
    'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
  ),
];

const denied = (why: string): string => `User is not authorized to perform this operation ${why}`;

const WHY_UNAUTHORIZED: readonly Kind[] = [
  kind('Unauthorized', denied('due to a permission boundary'), 'with an explicit deny in a permissions boundary'),
  kind('Unauthorized', denied('due to a service control policy'), 'with an explicit deny in a service control policy'),
  kind(
    'AMIAuthorizationFailure',
    'User is not authorized for AMI used in instance launch',
    'Not authorized for images',
  ),
  kind('Unauthorized', denied('because no identity-based policy allows it')),
];

/** Shortages come last: they are told as such only when nothing else is wrong. */
const OTHERS: readonly Kind[] = [
  kind(
    'SecurityGroupSubnetVPCMismatch',
    'Security groups and subnets must be in the same VPC.',
    'InvalidParameter',
    'belong to different networks',
  ),
  kind(
    'InstanceProfileNameInvalid',
    'Instance profile name used from EC2NodeClass status does not exist',
    'iamInstanceProfile.name is invalid',
  ),
  kind(
    'LaunchTemplateNotFound',
    "Launch template used for instance launch wasn't found",
    'InvalidLaunchTemplateId.NotFound',
  ),
  kind(
    'UserDataSizeLimitExceeded',
    'Rendered user data exceeds the EC2 user data size limit',
    'User data is limited to',
  ),
  kind('InvalidAMIID', 'AMI used for instance launch is invalid', 'InvalidAMIID.Malformed'),
  kind(
    'AMINotFound',
    "AMI used for instance launch either does not exist or you don't have permissions to use it",
    'InvalidAMIID.NotFound',
  ),
  kind('RequestLimitExceeded', 'Request limit exceeded', 'RequestLimitExceeded'),
  kind('InternalError', 'An internal error has occurred', 'InternalError'),
  kind('FreeTierIneligible', 'The specified instance type is not eligible for Free Tier', 'not eligible for Free Tier'),
  kind(
    'FleetQuotaExceeded',
    'A fleet launch was requested but this would exceed your fleet request quota',
    'MaxFleetCountExceeded',
  ),
  kind(
    'AccountPendingVerification',
    'An instance launch was requested but the request for launching resources in this region is still being verified',
    'PendingVerification',
  ),
  kind(
    'SpotQuotaExceeded',
    'A spot instance launch was requested but this would exceed your spot instance quota',
    'MaxSpotInstanceCountExceeded',
  ),
  kind('VCPULimitExceeded', 'An instance was requested that would exceed your VCPU quota', 'VcpuLimitExceeded'),
  kind(
    'InsufficientFreeAddressesInSubnet',
    'There are not enough free IP addresses to launch an instance in this subnet',
    'InsufficientFreeAddressesInSubnet',
  ),
  kind('LaunchFailed', 'Instance launch failed'),
];

/** What went wrong, in upstream's words: the first that fits (aws-provider.md section 20). */
export function reasonMessage(error: unknown): ReasonMessage {
  const text = errorText(error);
  const unauthorized = UNAUTHORIZED.test(text) ? WHY_UNAUTHORIZED : [];
  const found = [...BEFORE_UNAUTHORIZED, ...unauthorized, ...OTHERS].find(({ phrases }) =>
    phrases.every((phrase) => text.includes(phrase)),
  );
  return { reason: found?.reason ?? '', message: found?.message ?? '' };
}
