import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { instanceFromEc2 } from './instance-from-ec2.ts';

const RESERVED: Ec2Instance = {
  CapacityReservationId: 'cr-1',
  CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
};

test.each([
  ['that is nothing else is on demand', {}, 'on-demand'],
  ['with a spot request is spot, whatever its lifecycle', { SpotInstanceRequestId: 'sir-1' }, 'spot'],
  ['of which only the lifecycle says spot is on demand', { InstanceLifecycle: 'spot' }, 'on-demand'],
  ['in a reservation that it asked for is reserved', RESERVED, 'reserved'],
  ['with a spot request is never reserved', { ...RESERVED, SpotInstanceRequestId: 'sir-1' }, 'spot'],
  ['in an open reservation is on demand', { CapacityReservationId: 'cr-1' }, 'on-demand'],
  ['out of its reservation is on demand', { ...RESERVED, CapacityReservationId: undefined }, 'on-demand'],
] as const)('14, 19: an instance %s', (_which, instance, capacityType) => {
  expect(instanceFromEc2(instance as Ec2Instance, true).capacityType).toBe(capacityType);
});

test('14: without the feature gate no instance is reserved', () => {
  expect(instanceFromEc2(RESERVED, false)).toMatchObject({ capacityType: 'on-demand' });
  expect(instanceFromEc2(RESERVED, false).capacityReservation).toBeUndefined();
});

test.each([
  [undefined, 'default', false],
  ['capacity-block', 'capacity-block', false],
  ['interruptible-capacity-reservation', 'default', true],
] as const)(
  '14: a reserved instance of the lifecycle %s is in a reservation of type %s, interruptible: %s',
  (InstanceLifecycle, type, interruptible) => {
    const instance = { ...RESERVED, ...(InstanceLifecycle ? { InstanceLifecycle } : {}) };
    expect(instanceFromEc2(instance, true).capacityReservation).toEqual({ id: 'cr-1', type, interruptible });
  },
);

test('19: EC2’s word on tenancy, partition and fabric adapters is taken, and nothing made up', () => {
  expect(instanceFromEc2({ Placement: { Tenancy: '' as never, PartitionNumber: 0 } }, true)).toMatchObject({
    tenancy: 'default',
    efaCount: 0,
  });
  expect('partitionNumber' in instanceFromEc2({ Placement: { PartitionNumber: 0 } }, true)).toBe(false);
  const NetworkInterfaces = ['efa', 'efa-only', 'interface', undefined].map((InterfaceType) =>
    InterfaceType === undefined ? {} : { InterfaceType },
  );
  const instance = { Placement: { Tenancy: 'dedicated', PartitionNumber: 3 }, NetworkInterfaces } as const;
  expect(instanceFromEc2({ ...instance, NetworkInterfaces }, true)).toMatchObject({
    tenancy: 'dedicated',
    partitionNumber: 3,
    efaCount: 2,
  });
});
