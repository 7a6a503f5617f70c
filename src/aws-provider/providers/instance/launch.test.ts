/** What EC2 is asked for when a claim is launched (aws-provider.md 17.3, 17.8 and 17.10). */
import type { CreateFleetRequest } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { toOverrides } from '../../../../test/aws/fleet-overrides.ts';
import { LaunchRig } from '../../../../test/aws/launch-rig.ts';
import { capacityTypes, types, zones } from '../../../../test/aws/requirements.ts';
import type { Overrides } from '../../../../test/factories/index.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';

const GROUP = 'karpenter.k8s.aws';
const ON_DEMAND = capacityTypes('on-demand');
const SPOT = capacityTypes('spot');

let rig: LaunchRig;
beforeEach(() => {
  rig = new LaunchRig();
});

const launch = async (requirements: readonly object[], metadata: Overrides<NodeClaim>['metadata'] = {}) =>
  await rig.create(rig.claim({ ...(metadata ? { metadata } : {}), spec: { requirements: requirements as never } }));

async function fleetOf(
  requirements: readonly object[],
  nodeClass: Overrides<EC2NodeClass> = {},
  metadata: Overrides<NodeClaim>['metadata'] = {},
): Promise<CreateFleetRequest> {
  await rig.start(nodeClass);
  await launch(requirements, metadata);
  return rig.fleets.at(-1) ?? expect.fail('no fleet');
}

describe('17.3, 17.10: the fleet request', () => {
  const Tags = expect.arrayContaining([
    { Key: 'team', Value: 'platform' },
    { Key: 'kubernetes.io/cluster/test-cluster', Value: 'owned' },
    { Key: 'karpenter.sh/nodepool', Value: 'pool' },
    { Key: 'eks:eks-cluster-name', Value: 'test-cluster' },
    { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
  ]);

  test('is for one instance now, of the latest version of templates by name, and tags what is made', async () => {
    const fleet = await fleetOf([ON_DEMAND, types('m5.large'), zones('b')], { spec: { tags: { team: 'platform' } } });
    expect(fleet).toEqual({
      Type: 'instant',
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
      TagSpecifications: [
        { ResourceType: 'instance', Tags },
        { ResourceType: 'volume', Tags },
        { ResourceType: 'fleet', Tags },
      ],
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: {
            LaunchTemplateName: expect.stringMatching(/^karpenter\.k8s\.aws\/\d+$/),
            Version: '$Latest',
          },
          Overrides: [
            {
              InstanceType: 'm5.large',
              SubnetId: 'subnet-test2',
              ImageId: 'ami-al2023-x8664-standard',
              AvailabilityZone: 'us-west-2b',
              Priority: rig.aws.cloud.onDemandPrices.get('m5.large'),
            },
          ],
        },
      ],
    });
    expect(fleet.TagSpecifications?.[0]?.Tags).toHaveLength(5);
  });

  test.each([
    ['on demand', ON_DEMAND, {}, 'OnDemandOptions', 'lowest-price'],
    [
      'on demand with prices of overlays',
      ON_DEMAND,
      { 'karpenter.sh/price-overlay-applied': 'true' },
      'OnDemandOptions',
      'prioritized',
    ],
    ['spot', SPOT, {}, 'SpotOptions', 'price-capacity-optimized'],
    [
      'spot with prices of overlays',
      SPOT,
      { 'karpenter.sh/price-overlay-applied': '' },
      'SpotOptions',
      'capacity-optimized-prioritized',
    ],
  ])('lets EC2 choose: %s', async (_, capacityType, annotations, options, strategy) => {
    const fleet = await fleetOf([capacityType, types('m5.large')], {}, { annotations });
    expect(fleet).toMatchObject({
      TargetCapacitySpecification: { DefaultTargetCapacityType: capacityType.values[0] },
      [options]: { AllocationStrategy: strategy },
    });
    const all = ['OnDemandOptions', 'SpotOptions', 'ReservedCapacityOptions'];
    expect(Object.keys(fleet).filter((key) => all.includes(key))).toEqual([options]);
  });

  test.each([
    ['default', false, 'on-demand', { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }],
    [
      'default',
      true,
      'reserved-capacity',
      { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } },
    ],
    ['capacity-block', false, 'capacity-block', {}],
  ] as const)('for a reservation: %s, interruptible %s', async (type, interruptible, target, options) => {
    rig.reserve({ ReservationType: type, Interruptible: interruptible });
    const fleet = await fleetOf([], { spec: { capacityReservationSelectorTerms: [{ id: 'cr-1' }] } });
    expect(fleet.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe(target);
    const { OnDemandOptions, SpotOptions, ReservedCapacityOptions } = fleet;
    expect({ OnDemandOptions, SpotOptions, ReservedCapacityOptions }).toEqual(options);
    // Nothing but the reservation.
    expect(toOverrides(fleet)).toEqual(['m5.large us-west-2b']);
  });

  test.each([
    ['has the context of the class', {}, 'context-1'],
    ['has it also when minValues hold', { 'karpenter.sh/nodeclaim-min-values-relaxed': 'false' }, 'context-1'],
    ['has it no longer when minValues are relaxed', { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' }, undefined],
  ])('%s', async (_, annotations, context) => {
    const fleet = await fleetOf([types('m5.large')], { spec: { context: 'context-1' } }, { annotations });
    expect(fleet.Context).toBe(context);
  });
});

describe('17.8: overrides', () => {
  test('are every zone with a subnet in which a type is on sale, at its price there', async () => {
    rig.aws.cloud.subnets = rig.aws.cloud.subnets.slice(0, 2);
    rig.aws.cloud.notSoldIn.set('c5.large', ['us-west-2a']);
    await rig.start();
    rig.unavailableOfferings.markUnavailable('m5.large', 'us-west-2b', 'spot', { reason: '' });
    await launch([SPOT, types('m5.large', 'c5.large', 't3.large')]);
    const [fleet] = rig.fleets;
    expect(toOverrides(fleet).toSorted()).toEqual([
      'c5.large us-west-2b',
      'm5.large us-west-2a',
      't3.large us-west-2a',
      't3.large us-west-2b',
    ]);
    const overrides = fleet?.LaunchTemplateConfigs?.flatMap(({ Overrides = [] }) => Overrides) ?? [];
    for (const { InstanceType = '', AvailabilityZone = '', Priority, SubnetId } of overrides) {
      expect(Priority).toBe(rig.aws.cloud.spotPrice(InstanceType, AvailabilityZone));
      expect(SubnetId).toBe(AvailabilityZone === 'us-west-2a' ? 'subnet-test1' : 'subnet-test2');
    }
  });

  test('of a partition placement group name a zone once', async () => {
    rig.aws.cloud.placementGroups.push({
      GroupId: 'pg-1',
      GroupName: 'g',
      Strategy: 'partition',
      PartitionCount: 3,
      State: 'available',
    });
    const fleet = await fleetOf([ON_DEMAND, types('m5.large'), zones('a', 'b')], {
      spec: { placementGroupSelector: { name: 'g' } },
    });
    expect(toOverrides(fleet)).toEqual(['m5.large us-west-2a', 'm5.large us-west-2b']);
  });

  test('are by launch template: types with as many pods share one', async () => {
    const fleet = await fleetOf([ON_DEMAND, types('m5.large', 'c5.large', 'm5.xlarge', 'm6g.large')]);
    const byTemplate = (fleet.LaunchTemplateConfigs ?? []).map(({ Overrides = [] }) => [
      ...new Set(Overrides.map(({ InstanceType, ImageId }) => `${InstanceType} ${ImageId}`)),
    ]);
    expect(byTemplate.map((group) => group.sort()).sort()).toEqual([
      ['c5.large ami-al2023-x8664-standard', 'm5.large ami-al2023-x8664-standard'],
      ['m5.xlarge ami-al2023-x8664-standard'],
      ['m6g.large ami-al2023-arm64-standard'],
    ]);
  });
});

test('17.4: prices of overlays are the priorities', async () => {
  await rig.start();
  const pool = rig.pools.get('pool') ?? expect.fail('no pool');
  const sold = await rig.cloud.getInstanceTypes(pool);
  const overlaid = sold.map((type) => ({ ...type, offerings: type.offerings.map((each) => ({ ...each, price: 7 })) }));
  const claim = rig.claim({ spec: { requirements: [ON_DEMAND, types('m5.large'), zones('a')] } });
  await rig.finish(rig.cloud.createAmong(claim, overlaid));
  expect(rig.fleets.at(-1)?.LaunchTemplateConfigs?.[0]?.Overrides).toMatchObject([{ Priority: 7 }]);
});

test.each([
  [['m5.large', 'c5.large', 'r5.large', 't3.large'], ['failed while checking on-demand fallback']],
  [['m5.large', 'c5.large', 'r5.large', 't3.large', 'm5.xlarge'], []],
])('17.9: a claim that spot is sold out for is told in the log among %j', async (names, logged) => {
  await rig.start();
  rig.unavailableOfferings.markCapacityTypeUnavailable('spot');
  await launch([capacityTypes('on-demand', 'spot'), types(...names)]);
  expect(rig.logged).toEqual(logged);
});

describe('15, 17.10: a claim with partitions to choose from', () => {
  const partition = (operator: 'In' | 'NotIn', ...values: string[]) => ({
    key: `${GROUP}/placement-group-partition`,
    operator,
    values,
  });
  const placementGroupSelector = { name: 'g' };
  beforeEach(async () => {
    rig.aws.cloud.placementGroups.push({
      GroupId: 'pg-1',
      GroupName: 'g',
      Strategy: 'partition',
      PartitionCount: 3,
      State: 'available',
    });
    await rig.start({ spec: { placementGroupSelector } });
  });

  const launched = async (...requirements: readonly object[]) => {
    const { metadata } = await launch([ON_DEMAND, types('m5.large'), zones('a'), ...requirements]);
    const template = [...rig.aws.cloud.launchTemplates.values()].at(-1);
    const label = metadata.labels?.[`${GROUP}/placement-group-partition`];
    return [template?.data.Placement?.PartitionNumber, label];
  };

  test('is launched into the first in which the type is on sale', async () => {
    expect(await launched(partition('In', '2', '1'))).toEqual([1, '1']);
    const scope = { placementGroupID: 'pg-1', placementGroupPartition: '1' };
    rig.unavailableOfferings.markUnavailable('m5.large', 'us-west-2a', 'on-demand', { reason: '' }, scope);
    expect(await launched(partition('In', '2', '1'))).toEqual([2, '2']);
    expect(await launched(partition('NotIn', '2'))).toEqual([3, '3']);
  });

  test('leaves it to EC2 when it does not care, which its node is then asked about', async () => {
    expect(await launched()).toEqual([undefined, '']);
  });
});
