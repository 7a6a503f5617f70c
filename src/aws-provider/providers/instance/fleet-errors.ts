import type { CreateFleetError } from '@aws-sdk/client-ec2';
import { CreateError, InsufficientCapacityError } from '../../../cloudprovider/errors.ts';
import { withLogFields } from '../../../logging/error-fields.ts';
import { reasonMessage } from '../../aws-api/reason-message.ts';

export const SERVICE_LINKED_ROLE_CODE = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';

const UNFULFILLABLE: ReadonlySet<string | undefined> = new Set([
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  'InsufficientFreeAddressesInSubnet',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
]);

/** EC2 can't sell this now, be it for want of machines or by the account's limits (aws-provider.md section 20). */
export const isUnfulfillable = ({ ErrorCode }: CreateFleetError): boolean => UNFULFILLABLE.has(ErrorCode);

/** Nobody may make the role that EC2 needs for spot instances. */
export const lacksSpotRole = ({ ErrorCode }: CreateFleetError): boolean => ErrorCode === SERVICE_LINKED_ROLE_CODE;

export const isSubnetFull = ({ ErrorCode }: CreateFleetError): boolean =>
  ErrorCode === 'InsufficientFreeAddressesInSubnet';

/** A spread placement group takes seven instances per zone, of whatever type. */
export const isSpreadGroupFull = ({ ErrorMessage = '' }: CreateFleetError): boolean =>
  ErrorMessage.includes('limit of instances in this spread placement group');

export const textOf = ({ ErrorCode = '', ErrorMessage = '' }: CreateFleetError): string =>
  `${ErrorCode}: ${ErrorMessage}`;

/** What a fleet without an instance means for the claim. */
export function combinedError(errors: readonly CreateFleetError[]): Error {
  const text = [...new Set(errors.map(textOf))].sort().join('; ');
  const { reason, message } = reasonMessage(new Error(text));
  const error = errors.every((each) => isUnfulfillable(each) || lacksSpotRole(each))
    ? new InsufficientCapacityError(`with fleet error(s), ${text}`)
    : new CreateError(text, reason, message);
  return withLogFields(error, {
    'aws-operation-name': 'CreateFleet',
    'aws-service-name': 'EC2',
    'aws-status-code': 200,
    'aws-error-code': 'UnfulfillableCapacity',
  });
}
