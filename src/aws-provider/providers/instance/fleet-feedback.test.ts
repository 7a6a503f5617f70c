import type { CreateFleetError } from '@aws-sdk/client-ec2';
import { beforeEach, expect, test } from 'vitest';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { CountedMetrics } from '../../../../test/support/counted-metrics.ts';
import type { Event } from '../../../events/recorder.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { SILENT } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import { UnavailableOfferingsCache } from '../../cache/unavailable-offerings.ts';
import { type AnsweredLaunch, FleetFeedback } from './fleet-feedback.ts';

const FULL_GROUP =
  "You've reached the limit of instances in this spread placement group. A spread placement group can have up to seven instances per Availability Zone.";
const CLAIM = nodeClaim({ metadata: { uid: 'claim-uid' } });

let soldOut: UnavailableOfferingsCache;
let metrics: CountedMetrics;
let events: Event[];
let fullSubnets: string[];
let closed: (readonly string[])[];
let feedback: FleetFeedback;
beforeEach(() => {
  soldOut = new UnavailableOfferingsCache({ clock: new VirtualClock(), log: SILENT });
  metrics = new CountedMetrics();
  events = [];
  fullSubnets = [];
  closed = [];
  feedback = new FleetFeedback({
    unavailableOfferings: soldOut,
    subnets: { updateICEdSubnet: (id) => void fullSubnets.push(id) },
    capacityReservations: { markUnavailable: (...ids) => void closed.push(ids) },
    recorder: { publish: (...told) => void events.push(...told) },
    metrics,
    log: SILENT,
  });
});

function failure(
  ErrorCode: string,
  { type = 'm5.large', zone = 'us-west-2a', subnet = 'subnet-a', message = '' } = {},
): CreateFleetError {
  const Overrides = { InstanceType: type as never, AvailabilityZone: zone, ...(subnet ? { SubnetId: subnet } : {}) };
  return { ErrorCode, ErrorMessage: message, LaunchTemplateAndOverrides: { Overrides } };
}

/** A type with a reserved offering in each of some zones. */
function type(name: string, reservations: Readonly<Record<string, string>> = {}): InstanceType {
  const offerings = Object.entries(reservations).map(([zone, id]) => ({
    requirements: Requirements.fromLabels({
      'karpenter.sh/capacity-type': 'reserved',
      'topology.kubernetes.io/zone': zone,
      'karpenter.k8s.aws/capacity-reservation-id': id,
    }),
    price: 0,
    available: true,
  }));
  return { name, offerings, requirements: new Requirements(), capacity: {}, overhead: {} };
}

const SUBNET = { id: 'subnet-a', zone: 'us-west-2a', zoneID: 'usw2-az1', availableIPAddressCount: 5 };

const take = (errors: readonly CreateFleetError[], launch: Partial<AnsweredLaunch> = {}) =>
  feedback.take(errors, {
    nodeClaim: CLAIM,
    capacityType: 'spot',
    instanceTypes: [type('m5.large'), type('c5.large')],
    subnets: new Map([['us-west-2a', SUBNET]]),
    scope: {},
    ...launch,
  });

/** What is off sale, without its end. */
const marks = () => soldOut.list().map(({ until: _, ...mark }) => mark);

test('20: a shortage closes the offering, with EC2’s code and the fleet', () => {
  take([failure('InsufficientInstanceCapacity'), failure('VcpuLimitExceeded', { zone: 'us-west-2b' })], {
    fleetID: 'fleet-1',
  });
  const common = { instanceType: 'm5.large', capacityType: 'spot', fleetID: 'fleet-1' };
  expect(marks()).toEqual([
    { ...common, zone: 'us-west-2a', reason: 'InsufficientInstanceCapacity' },
    { ...common, zone: 'us-west-2b', reason: 'VcpuLimitExceeded' },
  ]);
  expect([events, fullSubnets, closed]).toEqual([[], [], []]);
});

test('20: another failure closes nothing; each is counted by its zone, and by the zone’s id where a subnet tells it', () => {
  const errors = [failure('InvalidAMIID.NotFound'), failure('InternalError', { zone: 'us-west-2b' })];
  take(errors, { capacityType: 'on-demand' });
  expect(marks()).toEqual([]);
  const common = { capacity_type: 'on-demand' };
  expect(metrics.of('cloudprovider_instance_launch_failures_total')).toEqual([
    { ...common, zone: 'us-west-2a', zone_id: 'usw2-az1', reason: 'AMINotFound' },
    { ...common, zone: 'us-west-2b', zone_id: '', reason: 'InternalError' },
  ]);
});

test('20: a subnet without addresses is closed and comes last, and the offering is closed too', () => {
  take([failure('InsufficientFreeAddressesInSubnet')]);
  const reason = 'InsufficientFreeAddressesInSubnet';
  expect(marks()).toEqual([
    { instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot', reason },
    { subnetID: 'subnet-a' },
  ]);
  expect(fullSubnets).toEqual(['subnet-a']);
});

test('20: a subnet that EC2 does not name closes none, nor does one that has addresses', () => {
  take([failure('InsufficientFreeAddressesInSubnet', { subnet: '' }), failure('InsufficientInstanceCapacity')]);
  expect(marks().filter(({ subnetID }) => subnetID !== undefined)).toEqual([]);
  expect(fullSubnets).toEqual([]);
});

test('20: without the role for spot, spot as a whole is closed, and the claim is told', () => {
  take([failure('AuthFailure.ServiceLinkedRoleCreationNotPermitted')]);
  expect(marks()).toEqual([{ capacityType: 'spot' }]);
  expect(events).toMatchObject([{ resource: NodeClaims, object: CLAIM, type: 'Warning' }]);
});

test('15: a shortage in a placement group closes the offering there, in the partition if one was asked for', () => {
  const scope = { placementGroupID: 'pg-1', placementGroupPartition: '2' };
  take([failure('InsufficientInstanceCapacity')], { scope });
  expect(marks()).toMatchObject([{ instanceType: 'm5.large', zone: 'us-west-2a', ...scope }]);
});

test('15: a spread group that is full in a zone closes the zone for every type of the launch, in the group', () => {
  take([failure('InsufficientInstanceCapacity', { message: FULL_GROUP })], { scope: { placementGroupID: 'pg-1' } });
  const common = { zone: 'us-west-2a', capacityType: 'spot', placementGroupID: 'pg-1' };
  expect(marks()).toMatchObject([
    { ...common, instanceType: 'm5.large' },
    { ...common, instanceType: 'c5.large' },
  ]);
});

test('15: the same without a group that we know, or another shortage within one, closes the one offering', () => {
  take([failure('InsufficientInstanceCapacity', { message: FULL_GROUP })]);
  take([failure('InsufficientInstanceCapacity', { zone: 'us-west-2b' })], { scope: { placementGroupID: 'pg-1' } });
  expect(marks().map(({ instanceType, zone }) => [instanceType, zone])).toEqual([
    ['m5.large', 'us-west-2a'],
    ['m5.large', 'us-west-2b'],
  ]);
});

test('14, 20: a reserved launch closes the reservations that had no room, and no offering', () => {
  const instanceTypes = [type('m5.large', { 'us-west-2a': 'cr-1', 'us-west-2b': 'cr-2' })];
  const reserved = { capacityType: 'reserved', instanceTypes };
  take(
    [
      failure('ReservationCapacityExceeded'),
      failure('InsufficientInstanceCapacity', { zone: 'us-west-2b' }),
      failure('InternalError', { zone: 'us-west-2a' }),
    ],
    reserved,
  );
  expect(closed).toEqual([['cr-1', 'cr-2']]);
  take([failure('InsufficientInstanceCapacity', { message: FULL_GROUP })], reserved);
  take([failure('InternalError')], reserved);
  take([], reserved);
  expect(closed).toHaveLength(1);
  expect(marks()).toEqual([]);
});

test('20: a reserved launch into a full subnet closes that subnet', () => {
  const instanceTypes = [type('m5.large', { 'us-west-2a': 'cr-1' })];
  take([failure('InsufficientFreeAddressesInSubnet')], { capacityType: 'reserved', instanceTypes });
  expect(marks()).toEqual([{ subnetID: 'subnet-a' }]);
  expect(closed).toEqual([['cr-1']]);
});
