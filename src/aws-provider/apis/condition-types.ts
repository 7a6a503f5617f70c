import { READY, VALIDATION_SUCCEEDED } from '../../apis/condition-types.ts';
import type { ConditionTypes } from '../../apis/conditions.ts';

export const AMIS_READY = 'AMIsReady';
export const SUBNETS_READY = 'SubnetsReady';
export const SECURITY_GROUPS_READY = 'SecurityGroupsReady';
export const INSTANCE_PROFILE_READY = 'InstanceProfileReady';
export const PLACEMENT_GROUP_READY = 'PlacementGroupReady';
export const CAPACITY_RESERVATIONS_READY = 'CapacityReservationsReady';

/**
 * Conditions of an EC2NodeClass (aws-provider.md section 6).
 *
 * @param reservedCapacity the feature gate ReservedCapacity: capacity reservations count with it only.
 */
export function ec2NodeClassConditions(reservedCapacity: boolean): ConditionTypes {
  return {
    root: READY,
    dependents: [
      AMIS_READY,
      SUBNETS_READY,
      SECURITY_GROUPS_READY,
      INSTANCE_PROFILE_READY,
      VALIDATION_SUCCEEDED,
      PLACEMENT_GROUP_READY,
      ...(reservedCapacity ? [CAPACITY_RESERVATIONS_READY] : []),
    ],
  };
}
