import { describe, expect, it } from 'vitest';
import { awsError } from '../../../test/aws/scripted-api.ts';
import { reasonMessage } from './reason-message.ts';

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
    expect(reasonMessage(awsError(code, message)).reason).toBe(reason);
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
