import type { PlacementGroup } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { awsError, scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { EC2NodeClass, PlacementGroupSelector } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { Ec2PlacementGroupProvider } from './placement-group-provider.ts';

const MINUTE = 60_000;
const GROUP: PlacementGroup = { GroupId: 'pg-1', GroupName: 'racks', Strategy: 'partition', PartitionCount: 7 };
const KNOWN = { id: 'pg-1', name: 'racks', strategy: 'partition', partitionCount: 7 };

const nodeClass = (placementGroupSelector?: PlacementGroupSelector) =>
  ({
    metadata: { name: 'default' },
    spec: { ...(placementGroupSelector ? { placementGroupSelector } : {}) },
  }) as EC2NodeClass;
const RACKS = nodeClass({ name: 'racks' });

function groups(answer: () => readonly PlacementGroup[]) {
  const clock = new VirtualClock();
  const ec2 = scriptedApi<Pick<Ec2Api, 'describePlacementGroups'>>({
    describePlacementGroups: async () => ({ PlacementGroups: [...answer()] }),
  });
  return { clock, ec2, provider: new Ec2PlacementGroupProvider({ ec2: ec2.api, clock }) };
}

test('a class without a selector has no group, and EC2 is not asked', async () => {
  const { provider, ec2 } = groups(() => [GROUP]);
  expect(await provider.get(nodeClass())).toBeUndefined();
  expect(provider.known(nodeClass())).toBeUndefined();
  expect(ec2.calls).toEqual([]);
});

test.each([
  ['id', { id: 'pg-1', name: 'racks' }, { GroupIds: ['pg-1'] }],
  ['name', { name: 'racks' }, { GroupNames: ['racks'] }],
])('asks for available groups by %s, and takes the first', async (_by, selector, asked) => {
  const { provider, ec2 } = groups(() => [GROUP, { ...GROUP, GroupId: 'pg-2' }]);
  expect(await provider.get(nodeClass(selector))).toEqual(KNOWN);
  expect(ec2.inputs('describePlacementGroups')).toEqual([
    { Filters: [{ Name: 'state', Values: ['available'] }], ...asked },
  ]);
});

test('the level of a spread group is told', async () => {
  const { provider } = groups(() => [{ GroupId: 'pg-3', GroupName: 'apart', Strategy: 'spread', SpreadLevel: 'rack' }]);
  expect(await provider.get(RACKS)).toEqual({
    id: 'pg-3',
    name: 'apart',
    strategy: 'spread',
    spreadLevel: 'rack',
    partitionCount: 0,
  });
});

test('EC2 is asked once a minute, also for a group that there is not, and by several at once', async () => {
  let found: readonly PlacementGroup[] = [];
  const { provider, ec2, clock } = groups(() => found);
  expect(await Promise.all([provider.get(RACKS), provider.get(RACKS)])).toEqual([undefined, undefined]);
  found = [GROUP];
  await clock.advance(MINUTE - 1);
  expect(await provider.get(RACKS)).toBeUndefined();
  expect(ec2.calls).toHaveLength(1);
  await clock.advance(1);
  expect(await provider.get(RACKS)).toEqual(KNOWN);
  expect(ec2.calls).toHaveLength(2);
});

test('while EC2 fails, get says so and known goes on for a day with the group as it was', async () => {
  let fails = false;
  const { provider, clock } = groups(() => {
    if (fails) throw awsError('RequestLimitExceeded', 'slow down');
    return [GROUP];
  });
  await provider.get(RACKS);
  fails = true;
  await clock.advance(MINUTE);
  await expect(provider.get(RACKS)).rejects.toThrow('describing placement groups, slow down');
  expect(provider.known(RACKS)).toEqual(KNOWN);
  await clock.advance(24 * 60 * MINUTE - MINUTE);
  expect(provider.known(RACKS)).toBeUndefined();
  fails = false;
  expect(await provider.get(RACKS)).toEqual(KNOWN);
});

test('a group that EC2 no longer has is forgotten', async () => {
  let found: readonly PlacementGroup[] = [GROUP];
  const { provider, clock } = groups(() => found);
  await provider.get(RACKS);
  found = [];
  await clock.advance(MINUTE);
  expect(await provider.get(RACKS)).toBeUndefined();
  expect(await provider.get(RACKS)).toBeUndefined();
  expect(provider.known(RACKS)).toBeUndefined();
});
