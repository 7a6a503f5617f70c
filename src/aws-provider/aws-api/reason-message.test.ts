import { describe, expect, it } from 'vitest';
import { awsError } from '../../../test/aws/scripted-api.ts';
import { reasonMessage } from './reason-message.ts';

/** What clients read in the condition, equal to upstream's. */
const MESSAGES: Readonly<Record<string, string>> = {
  SpotSLRCreationFailed:
    'User does not have sufficient permission to create the Spot ServiceLinkedRole to launch spot instances',
  Unauthorized: 'User is not authorized to perform this operation because no identity-based policy allows it',
  AMIAuthorizationFailure: 'User is not authorized for AMI used in instance launch',
  SecurityGroupSubnetVPCMismatch: 'Security groups and subnets must be in the same VPC.',
  InstanceProfileNameInvalid: 'Instance profile name used from EC2NodeClass status does not exist',
  LaunchTemplateNotFound: "Launch template used for instance launch wasn't found",
  UserDataSizeLimitExceeded: 'Rendered user data exceeds the EC2 user data size limit',
  InvalidAMIID: 'AMI used for instance launch is invalid',
  AMINotFound: "AMI used for instance launch either does not exist or you don't have permissions to use it",
  RequestLimitExceeded: 'Request limit exceeded',
  InternalError: 'An internal error has occurred',
  FreeTierIneligible: 'The specified instance type is not eligible for Free Tier',
  FleetQuotaExceeded: 'A fleet launch was requested but this would exceed your fleet request quota',
  AccountPendingVerification:
    'An instance launch was requested but the request for launching resources in this region is still being verified',
  SpotQuotaExceeded: 'A spot instance launch was requested but this would exceed your spot instance quota',
  VCPULimitExceeded: 'An instance was requested that would exceed your VCPU quota',
  InsufficientFreeAddressesInSubnet: 'There are not enough free IP addresses to launch an instance in this subnet',
  LaunchFailed: 'Instance launch failed',
};

describe('the reason for a refused launch', () => {
  it.each([
    ['AuthFailure.ServiceLinkedRoleCreationNotPermitted', '', 'SpotSLRCreationFailed'],
    ['UnauthorizedOperation', '', 'Unauthorized'],
    ['UnauthorizedOperation', 'Not authorized for images: [ami-1]', 'AMIAuthorizationFailure'],
    ['InvalidParameter', 'sg-1 and subnet-1 belong to different networks', 'SecurityGroupSubnetVPCMismatch'],
    ['InvalidParameterValue', 'Value for parameter iamInstanceProfile.name is invalid', 'InstanceProfileNameInvalid'],
    ['InvalidLaunchTemplateId.NotFound', '', 'LaunchTemplateNotFound'],
    ['InvalidUserData.Malformed', 'User data is limited to 16384 bytes', 'UserDataSizeLimitExceeded'],
    ['InvalidAMIID.Malformed', '', 'InvalidAMIID'],
    ['InvalidAMIID.NotFound', '', 'AMINotFound'],
    ['RequestLimitExceeded', '', 'RequestLimitExceeded'],
    ['InternalError', '', 'InternalError'],
    ['InvalidParameterCombination', 'The type is not eligible for Free Tier', 'FreeTierIneligible'],
    ['MaxFleetCountExceeded', '', 'FleetQuotaExceeded'],
    ['PendingVerification', '', 'AccountPendingVerification'],
    ['MaxSpotInstanceCountExceeded', '', 'SpotQuotaExceeded'],
    ['VcpuLimitExceeded', '', 'VCPULimitExceeded'],
    ['InsufficientFreeAddressesInSubnet', '', 'InsufficientFreeAddressesInSubnet'],
    ['Whatever', 'nobody has seen this before', 'LaunchFailed'],
  ])('of %s "%s" is %s', (code, message, reason) => {
    expect(reasonMessage(awsError(code, message))).toEqual({ reason, message: MESSAGES[reason] });
  });

  it.each([
    ['with an explicit deny in a permissions boundary', 'due to a permission boundary'],
    ['with an explicit deny in a service control policy', 'due to a service control policy'],
    ['', 'because no identity-based policy allows it'],
  ])('tells who denies: "%s"', (text, why) => {
    const { reason, message } = reasonMessage(awsError('AccessDenied', text));
    expect([reason, message]).toEqual(['Unauthorized', `User is not authorized to perform this operation ${why}`]);
  });

  it('is found in the cause of an error', () => {
    const error = new Error('creating a fleet', { cause: awsError('VcpuLimitExceeded') });
    expect(reasonMessage(error).reason).toBe('VCPULimitExceeded');
  });
});
