/**
 * The launch path of the EC2 provider over the account in process, in a process of its own: node measure-provider.ts LAUNCHES
 * answers with a line of JSON: milliseconds of processor time by step. test/oracle-ec2 measures the same of upstream.
 */
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodeSelectorRequirementWithMinValues } from '../../src/apis/node-pool.ts';
import { onDemandListPrices } from '../../src/aws-provider/data/ec2-data.ts';

import { EC2_TYPES } from '../aws/ec2-types.ts';
import { LaunchRig } from '../aws/launch-rig.ts';

const CLAIMS = Number(process.argv[2] ?? 500);
const ZONES = ['a', 'b', 'c', 'd'];

/** All types in four zones, at list prices, and as spot for two fifths of them. */
function rigWithAllTypes(): LaunchRig {
  const rig = new LaunchRig();
  const { cloud } = rig.aws;
  cloud.instanceTypes = [...EC2_TYPES.values()].map((type) => ({ ...type, SupportedVirtualizationTypes: ['hvm'] }));
  const [subnet] = cloud.subnets;
  cloud.subnets = ZONES.map((letter, index) => ({
    ...subnet,
    SubnetId: `subnet-${index + 1}`,
    AvailabilityZone: `us-west-2${letter}`,
    AvailabilityZoneId: `usw2-az${index + 1}`,
    AvailableIpAddressCount: 100_000,
  }));
  for (const { AvailabilityZone = '', AvailabilityZoneId = '' } of cloud.subnets) {
    cloud.zones.set(AvailabilityZone, AvailabilityZoneId);
  }
  for (const [type, price] of onDemandListPrices('us-east-1')?.prices ?? []) {
    cloud.onDemandPrices.set(type, price);
    for (const zone of cloud.zones.keys()) cloud.spotPrices.set(`${type}/${zone}`, price * 0.4);
  }
  return rig;
}

const rig = rigWithAllTypes();
await rig.start();
const pool = rig.pools.get('pool');
if (!pool) throw new Error('the rig has no pool');

async function cpuOf(times: number, run: (index: number) => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  for (let index = 0; index < times; index++) await run(index);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / times;
}

const spot = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] } as const;
const claim = (label: string, ...more: readonly NodeSelectorRequirementWithMinValues[]): NodeClaim =>
  rig.claim({ metadata: { labels: { label } }, spec: { requirements: [spot, ...more] } });

const typesFirst = await cpuOf(1, () => rig.cloud.getInstanceTypes(pool));
const typesAgain = await cpuOf(50, () => rig.cloud.getInstanceTypes(pool));
await rig.create(claim('alike'));
const launchAlike = await cpuOf(20, () => rig.create(claim('alike')));
const overrides = (rig.fleets.at(-1)?.LaunchTemplateConfigs ?? []).flatMap(({ Overrides = [] }) => Overrides);
const names = [...new Set(overrides.map(({ InstanceType = '' }) => InstanceType))];
const named = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: names } as const;
const launchUnlike = await cpuOf(20, (index) => rig.create(claim(String(index), named)));
const launchMany = await cpuOf(1, () =>
  rig.finish(Promise.all(Array.from({ length: CLAIMS }, () => rig.cloud.create(claim('alike'))))),
);
const types = rig.aws.cloud.instanceTypes.length;
const measured = { typesFirst, typesAgain, launchAlike, launchUnlike, launchMany, types, overrides: overrides.length };
process.stdout.write(`${JSON.stringify(measured)}\n`);
