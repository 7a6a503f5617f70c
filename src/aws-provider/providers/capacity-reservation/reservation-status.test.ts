import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { capacityReservationStatus } from './reservation-status.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
const RESERVATION: CapacityReservation = {
  CapacityReservationId: 'cr-1',
  AvailabilityZone: 'us-west-2a',
  InstanceType: 'm5.large',
  OwnerId: '012345678901',
  InstanceMatchCriteria: 'targeted',
};

test('a reservation without a type is an ordinary one', () => {
  expect(capacityReservationStatus(RESERVATION, NOW)).toEqual({
    id: 'cr-1',
    availabilityZone: 'us-west-2a',
    instanceType: 'm5.large',
    ownerID: '012345678901',
    instanceMatchCriteria: 'targeted',
    reservationType: 'default',
    interruptible: false,
    state: 'active',
  });
});

test('one that takes instances that do not ask for it is told as such', () => {
  const open = { ...RESERVATION, InstanceMatchCriteria: 'open', Interruptible: true } as const;
  expect(capacityReservationStatus(open, NOW)).toMatchObject({ instanceMatchCriteria: 'open', interruptible: true });
});

test.each([
  ['capacity-block', 40, 'expiring'],
  ['capacity-block', 41, 'active'],
  ['default', 1, 'active'],
] as const)('a %s that ends in %i minutes is %s', (ReservationType, minutes, state) => {
  const EndDate = new Date(NOW + minutes * MINUTE);
  const status = capacityReservationStatus({ ...RESERVATION, ReservationType, EndDate }, NOW);
  expect(status).toMatchObject({
    state,
    reservationType: ReservationType,
    endTime: `2026-06-01T12:${minutes.toString().padStart(2, '0')}:00Z`,
  });
});

test('a capacity block without an end is active', () => {
  const status = capacityReservationStatus({ ...RESERVATION, ReservationType: 'capacity-block' }, NOW);
  expect(status.state).toBe('active');
});

test.each([
  ['type', { ReservationType: 'future' as never }],
  ['match criteria', { InstanceMatchCriteria: 'nobody' as never }],
])('an unknown %s is an error', (_what, change) => {
  expect(() => capacityReservationStatus({ ...RESERVATION, ...change }, NOW)).toThrow(
    /^capacity reservation cr-1 has unsupported/,
  );
});
