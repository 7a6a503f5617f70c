import type { CapacityReservation, DescribeCapacityReservationsRequest } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { awsError, scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { Ec2CapacityReservationProvider } from './capacity-reservation-provider.ts';

const MINUTE = 60_000;

/** A provider over an EC2 that answers each question with pages of reservations. */
function reservations(
  answer: (input: DescribeCapacityReservationsRequest) => readonly (readonly CapacityReservation[])[],
) {
  const clock = new VirtualClock();
  const ec2 = scriptedApi<Pick<Ec2Api, 'describeCapacityReservations'>>({
    describeCapacityReservations: async (input) => {
      const pages = answer(input);
      const index = Number(input.NextToken ?? 0);
      const more = index + 1 < pages.length ? { NextToken: String(index + 1) } : {};
      return { CapacityReservations: [...(pages[index] ?? [])], ...more };
    },
  });
  return { clock, ec2, provider: new Ec2CapacityReservationProvider({ ec2: ec2.api, clock }) };
}

const reservation = (id: string, available = 5, more: Partial<CapacityReservation> = {}): CapacityReservation => ({
  CapacityReservationId: id,
  AvailableInstanceCount: available,
  ...more,
});
const ids = (list: readonly CapacityReservation[]) => list.map(({ CapacityReservationId: id }) => id);
const byID = ({ CapacityReservationIds: [id] = [] }: DescribeCapacityReservationsRequest) => id ?? 'cr-tagged';

test('asks once for each id, without a page size, and once for the tags, criteria and owner of a term', async () => {
  const { provider, ec2 } = reservations((input) => [[reservation(byID(input))]]);
  const found = await provider.list([
    { id: 'cr-1' },
    { id: 'cr-1' },
    { tags: { team: 'a', any: '*' }, ownerID: '012345678901', instanceMatchCriteria: 'open' },
    { ownerID: '012345678901' },
    { tags: { team: 'b' } },
  ]);
  expect(ids(found)).toEqual(['cr-1', 'cr-tagged']);
  const active = { Name: 'state', Values: ['active'] };
  expect(ec2.inputs('describeCapacityReservations')).toEqual([
    { Filters: [active], CapacityReservationIds: ['cr-1'] },
    {
      Filters: [
        active,
        { Name: 'owner-id', Values: ['012345678901'] },
        { Name: 'tag:team', Values: ['a'] },
        { Name: 'tag-key', Values: ['any'] },
        { Name: 'instance-match-criteria', Values: ['open'] },
      ],
      MaxResults: 1000,
    },
    { Filters: [active, { Name: 'tag:team', Values: ['b'] }], MaxResults: 1000 },
  ]);
});

test('reads all pages, and answers each reservation once', async () => {
  const { provider } = reservations(({ CapacityReservationIds }) =>
    CapacityReservationIds
      ? [[reservation('cr-2')]]
      : [[reservation('cr-1')], [reservation('cr-2'), reservation('cr-3')]],
  );
  expect(ids(await provider.list([{ id: 'cr-2' }, { tags: { a: 'b' } }])).sort()).toEqual(['cr-1', 'cr-2', 'cr-3']);
});

test('a reservation that does not exist is none; another failure is one', async () => {
  const gone = reservations((input) => {
    if (byID(input) === 'cr-gone') throw awsError('InvalidCapacityReservationId.NotFound');
    return [[reservation(byID(input))]];
  });
  expect(ids(await gone.provider.list([{ id: 'cr-gone' }, { id: 'cr-1' }]))).toEqual(['cr-1']);
  const denied = reservations(() => {
    throw awsError('UnauthorizedOperation', 'not for you');
  });
  await expect(denied.provider.list([{ id: 'cr-1' }])).rejects.toThrow('listing capacity reservations, not for you');
});

test('what has ended is left out, also while its answer is still cached', async () => {
  const { provider, clock } = reservations(() => [
    [
      reservation('cr-ended', 1, { EndDate: new Date(clock.now()) }),
      reservation('cr-1', 1, { EndDate: new Date(clock.now() + 30_000) }),
    ],
  ]);
  const list = async () => ids(await provider.list([{ tags: { a: 'b' } }]));
  expect(await list()).toEqual(['cr-1']);
  await clock.advance(30_000);
  expect(await list()).toEqual([]);
});

test('EC2 is asked the same once a minute, though several ask at the same time', async () => {
  const { provider, ec2, clock } = reservations(() => [[reservation('cr-1')]]);
  const list = () => provider.list([{ id: 'cr-1' }]);
  await Promise.all([list(), list()]);
  await clock.advance(MINUTE - 1);
  await list();
  expect(ec2.calls).toHaveLength(1);
  await clock.advance(1);
  await list();
  expect(ec2.calls).toHaveLength(2);
});

test('counts down for a launch, never below none, and up for an instance that ended', async () => {
  const { provider } = reservations(() => [[reservation('cr-1', 2)]]);
  expect(provider.availableInstanceCount('cr-1')).toBe(0);
  await provider.list([{ id: 'cr-1' }]);
  const counts = [0, 1, 2, 3].map(() => {
    const count = provider.availableInstanceCount('cr-1');
    provider.markLaunched('cr-1');
    return count;
  });
  expect(counts).toEqual([2, 1, 0, 0]);
  provider.markTerminated('cr-1');
  expect(provider.availableInstanceCount('cr-1')).toBe(1);
});

test('marked unavailable it has none left, until EC2 is asked again', async () => {
  const { provider, clock } = reservations((input) => [[reservation(byID(input), 3)]]);
  const list = () => provider.list([{ id: 'cr-1' }, { id: 'cr-2' }]);
  await list();
  provider.markUnavailable('cr-1', 'cr-unknown');
  await list();
  expect(provider.availableInstanceCount('cr-1')).toBe(0);
  expect(provider.availableInstanceCount('cr-2')).toBe(3);
  expect(provider.availableInstanceCount('cr-unknown')).toBe(0);
  await clock.advance(MINUTE);
  await list();
  expect(provider.availableInstanceCount('cr-1')).toBe(3);
});

test('launches and ends of a reservation that was never listed are not counted', async () => {
  const { provider } = reservations(() => [[]]);
  provider.markTerminated('cr-1');
  provider.markLaunched('cr-1');
  expect(provider.availableInstanceCount('cr-1')).toBe(0);
});

test('counts hold for a day when EC2 no longer answers', async () => {
  const { provider, clock } = reservations(() => [[reservation('cr-1', 2)]]);
  await provider.list([{ id: 'cr-1' }]);
  await clock.advance(24 * 60 * MINUTE - 1);
  expect(provider.availableInstanceCount('cr-1')).toBe(2);
  await clock.advance(1);
  expect(provider.availableInstanceCount('cr-1')).toBe(0);
});
