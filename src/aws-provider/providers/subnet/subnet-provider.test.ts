import { expect, test } from 'vitest';
import { scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import { SILENT } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { SubnetSelectorTerm } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { DefaultSubnetProvider } from './subnet-provider.ts';

const MINUTE_MS = 60_000;

/** An account with subnets a1 and a2 in one zone and b1 in another; their free addresses can be changed. */
function account(free: Record<string, number> = { a1: 100, a2: 50, b1: 80 }, refreshMs = MINUTE_MS) {
  const clock = new VirtualClock();
  const ec2 = scriptedApi<Pick<Ec2Api, 'describeSubnets'>>({
    describeSubnets: async () => ({
      Subnets: Object.entries(free).map(([SubnetId, AvailableIpAddressCount]) => ({
        SubnetId,
        AvailabilityZone: SubnetId.slice(0, 1),
        AvailabilityZoneId: `id-${SubnetId.slice(0, 1)}`,
        AvailableIpAddressCount,
      })),
    }),
  });
  const options = { subnetRefreshIntervalMs: refreshMs };
  const provider = new DefaultSubnetProvider({ ec2: ec2.api, clock, log: SILENT, options });
  return { clock, free, provider, queries: () => ec2.inputs('describeSubnets') };
}

const nodeClass = ec2NodeClass({
  metadata: { uid: 'uid', generation: 1 },
  status: { subnets: ['a1', 'a2', 'b1'].map((id) => ({ id, zone: id.slice(0, 1), zoneID: `id-${id.slice(0, 1)}` })) },
});

function instanceType(name: string, pods: number, zones = ['a', 'b'], available = true): InstanceType {
  return {
    name,
    requirements: new Requirements(),
    capacity: { pods: pods * 1000 },
    overhead: {},
    offerings: zones.map((zone) => ({
      requirements: Requirements.fromLabels({ [LABEL_ZONE]: zone, [LABEL_CAPACITY_TYPE]: 'spot' }),
      price: 1,
      available,
    })),
  };
}

const SMALL = [instanceType('small', 30), instanceType('large', 60), instanceType('gone', 5, ['a', 'b'], false)];
const BIG = [instanceType('big', 60)];

type Provider = ReturnType<typeof account>['provider'];

const launch = (provider: Provider, types = SMALL, capacityType = 'spot') =>
  provider.zonalSubnetsForLaunch(nodeClass, types, capacityType);
const chosen = (...args: Parameters<typeof launch>) => [...launch(...args).values()].map(({ id }) => id);
const asking = (...ids: string[]) => ({
  LaunchTemplateConfigs: [{ Overrides: ids.map((SubnetId) => ({ SubnetId })) }],
  TargetCapacitySpecification: { TotalTargetCapacity: 1 },
});
const launchedIn = (SubnetId: string) => ({ Instances: [{ LaunchTemplateAndOverrides: { Overrides: { SubnetId } } }] });

test('11: ids are asked for at once, and each term of tags by itself', async () => {
  const { provider, queries } = account();
  const subnetSelectorTerms: SubnetSelectorTerm[] = [{ id: 'a1' }, { tags: { team: 'a', any: '*' } }, { id: 'a2' }];
  const subnets = await provider.list(ec2NodeClass({ spec: { subnetSelectorTerms } }));
  expect(queries()).toEqual([
    {
      Filters: [
        { Name: 'tag:team', Values: ['a'] },
        { Name: 'tag-key', Values: ['any'] },
      ],
      MaxResults: 500,
    },
    { Filters: [{ Name: 'subnet-id', Values: ['a1', 'a2'] }], MaxResults: 500 },
  ]);
  expect(subnets.map(({ SubnetId }) => SubnetId)).toEqual(['a1', 'a2', 'b1']);
});

test('11: all pages are read, and a subnet that several terms find counts once', async () => {
  const found = (...ids: string[]) => ids.map((SubnetId) => ({ SubnetId }));
  const ec2 = scriptedApi<Pick<Ec2Api, 'describeSubnets'>>({
    describeSubnets: async ({ NextToken, Filters }) => {
      if (Filters?.[0]?.Name === 'subnet-id') return { Subnets: found('a2') };
      return NextToken === 'more' ? { Subnets: found('a2', 'a3') } : { Subnets: found('a1'), NextToken: 'more' };
    },
  });
  const options = { subnetRefreshIntervalMs: MINUTE_MS };
  const provider = new DefaultSubnetProvider({ ec2: ec2.api, clock: new VirtualClock(), log: SILENT, options });
  const subnetSelectorTerms: SubnetSelectorTerm[] = [{ id: 'a2' }, { tags: { team: 'a' } }];
  const subnets = await provider.list(ec2NodeClass({ spec: { subnetSelectorTerms } }));
  expect(subnets.map(({ SubnetId }) => SubnetId)).toEqual(['a1', 'a2', 'a3']);
});

test('3: subnets are asked for once in each interval by those who ask at the same time, and at once for an edited class', async () => {
  const { clock, provider, queries } = account(undefined, 2 * MINUTE_MS);
  await Promise.all([provider.list(nodeClass), provider.list(nodeClass)]);
  await clock.advance(2 * MINUTE_MS - 1);
  await provider.list(nodeClass);
  expect(queries()).toHaveLength(1);
  await clock.advance(1);
  await provider.list(nodeClass);
  expect(queries()).toHaveLength(2);
  await provider.list({ ...nodeClass, metadata: { ...nodeClass.metadata, generation: 2 } });
  expect(queries()).toHaveLength(3);
});

test('11: a launch takes the subnet of each zone that has most addresses, the earlier one of equals', async () => {
  const { provider, free } = account();
  await provider.list(nodeClass);
  expect(launch(provider)).toEqual(
    new Map([
      ['a', { id: 'a1', zone: 'a', zoneID: 'id-a', availableIPAddressCount: 100 }],
      ['b', { id: 'b1', zone: 'b', zoneID: 'id-b', availableIPAddressCount: 80 }],
    ]),
  );
  const equal = account({ ...free, a2: 100 });
  await equal.provider.list(nodeClass);
  expect(chosen(equal.provider)).toEqual(['a1', 'b1']);
});

test('11: it is expected to need the addresses of the smallest type that the zone sells', async () => {
  const { provider } = account();
  await provider.list(nodeClass);
  // a1: 100 → 70 → 40, then a2 has more: 50.
  expect([chosen(provider), chosen(provider), chosen(provider)].map(([a]) => a)).toEqual(['a1', 'a1', 'a2']);
  const big = account();
  await big.provider.list(nodeClass);
  // a1: 100 → 40.
  expect([chosen(big.provider, BIG), chosen(big.provider, BIG)].map(([a]) => a)).toEqual(['a1', 'a2']);
  const unsold = account();
  await unsold.provider.list(nodeClass);
  const types = [instanceType('elsewhere', 60, ['b'])];
  expect([chosen(unsold.provider, types), chosen(unsold.provider, types)].map(([a]) => a)).toEqual(['a1', 'a1']);
});

test('11: subnets that the fleet asked for and did not use get their addresses back', async () => {
  const { provider } = account();
  await provider.list(nodeClass);
  // a1: 100 → 40 → 100.
  const subnets = [...launch(provider, BIG).values()];
  provider.updateInflightIPs(asking('a1', 'b1'), launchedIn('b1'), BIG, subnets, 'spot');
  // → 40 → 100, as the fleet failed.
  const failed = [...launch(provider, BIG).values()];
  provider.updateInflightIPs(asking('a1', 'b1'), undefined, BIG, failed, 'spot');
  expect([subnets, failed].map(([a]) => a?.id)).toEqual(['a1', 'a1']);
  expect([chosen(provider, BIG), chosen(provider, BIG)].map(([a]) => a)).toEqual(['a1', 'a2']);
});

test('11: those that it did use, or did not ask for, do not', async () => {
  const { provider } = account();
  await provider.list(nodeClass);
  const subnets = [...launch(provider, BIG).values()];
  provider.updateInflightIPs(asking('a1', 'b1'), launchedIn('a1'), BIG, subnets, 'spot');
  provider.updateInflightIPs(asking('b1'), undefined, BIG, subnets, 'spot');
  expect(chosen(provider, BIG)[0]).toBe('a2');
});

test('11: what EC2 says anew replaces all of that', async () => {
  const { clock, free, provider } = account();
  await provider.list(nodeClass);
  const subnets = [...launch(provider, BIG).values()];
  free.a1 = 60;
  await clock.advance(MINUTE_MS);
  await provider.list(nodeClass);
  // Not given back: it was never taken off the new number.
  provider.updateInflightIPs(asking('a1', 'b1'), undefined, BIG, subnets, 'spot');
  expect(launch(provider, BIG).get('a')).toMatchObject({ id: 'a1', availableIPAddressCount: 60 });
  expect(chosen(provider)[0]).toBe('a2');
});

test('11: a launch gives nothing back to a number that EC2 has said since, though others take from that', async () => {
  const { clock, free, provider } = account();
  await provider.list(nodeClass);
  const subnets = [...launch(provider, BIG).values()];
  free.a1 = 115;
  await clock.advance(MINUTE_MS);
  await provider.list(nodeClass);
  // a1: 115 → 55, which would be 115 again.
  expect(chosen(provider, BIG)[0]).toBe('a1');
  provider.updateInflightIPs(asking('a1', 'b1'), undefined, BIG, subnets, 'spot');
  expect([chosen(provider, SMALL), chosen(provider, SMALL)].map(([a]) => a)).toEqual(['a1', 'a2']);
});

test('20: a subnet without free addresses comes last until it is described again', async () => {
  const { clock, provider } = account();
  await provider.list(nodeClass);
  provider.updateICEdSubnet('a1');
  expect(launch(provider).get('a')).toMatchObject({ id: 'a2', availableIPAddressCount: 50 });
  await clock.advance(MINUTE_MS);
  await provider.list(nodeClass);
  expect(chosen(provider)[0]).toBe('a1');
});

test('20: that it has none is true also of what launches had left of it', async () => {
  const { provider } = account({ a1: 100, a2: 20, b1: 80 });
  await provider.list(nodeClass);
  // a1: 100 → 40, and then 0.
  launch(provider, BIG);
  provider.updateICEdSubnet('a1');
  expect(chosen(provider)[0]).toBe('a2');
});

test('3: counts of addresses hold for five minutes, or four more than the interval', async () => {
  const { clock, provider } = account();
  await provider.list(nodeClass);
  await clock.advance(5 * MINUTE_MS - 1);
  expect(launch(provider, []).get('b')?.availableIPAddressCount).toBe(80);
  await clock.advance(1);
  expect(launch(provider, []).get('b')?.availableIPAddressCount).toBe(0);
  const slow = account(undefined, 10 * MINUTE_MS);
  await slow.provider.list(nodeClass);
  await slow.clock.advance(14 * MINUTE_MS - 1);
  expect(launch(slow.provider, []).get('b')?.availableIPAddressCount).toBe(80);
});

test('11: without subnets there is nothing to launch into', () => {
  const { provider } = account();
  expect(() => provider.zonalSubnetsForLaunch(ec2NodeClass(), SMALL, 'spot')).toThrow(
    'no subnets matched selector [{"tags":{"*":"*"}}]',
  );
});
