/** What AWS may answer though nobody expects it: the controller must neither stop nor buy what it can't name. */

import type { DescribeInstancesResult, InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import { pages } from '../../src/aws-provider/aws-api/pages.ts';
import { CreateError, causeOf, InsufficientCapacityError } from '../../src/cloudprovider/errors.ts';
import { nodePool } from '../factories/index.ts';
import { LaunchRig } from './launch-rig.ts';
import { awsError } from './scripted-api.ts';

let rig: LaunchRig;
beforeEach(async () => {
  rig = new LaunchRig();
  await rig.start();
});

/** Alters the answers of one call of EC2. */
function altered<Name extends keyof LaunchRig['aws']['apis']['ec2']>(
  name: Name,
  alter: (answer: Awaited<ReturnType<LaunchRig['aws']['apis']['ec2'][Name]>>) => object,
): void {
  const { ec2 } = rig.aws.apis;
  const call = ec2[name] as (...args: readonly unknown[]) => Promise<never>;
  Object.assign(ec2, { [name]: async (...args: readonly unknown[]) => alter(await call(...args)) });
}

const idsOf = (claims: readonly { readonly status?: { readonly providerID?: string } }[]) =>
  claims.map(({ status }) => status?.providerID);

describe('a list of instances', () => {
  test('tells of one whose type is not known any more: it could be nobody’s', async () => {
    const { status } = await rig.create();
    rig.aws.cloud.instanceTypes = rig.aws.cloud.instanceTypes.filter(({ InstanceType }) => InstanceType === 'm5.metal');
    await rig.instanceTypes.updateInstanceTypes();
    expect(idsOf(await rig.cloud.list())).toEqual([status?.providerID]);
    expect((await rig.finish(rig.cloud.get(status?.providerID ?? ''))).status?.providerID).toBe(status?.providerID);
  });

  test('tells of those of a class that has lost its subnets', async () => {
    const { status } = await rig.create();
    await rig.start({ status: { subnets: [] } });
    expect(idsOf(await rig.cloud.list())).toEqual([status?.providerID]);
  });

  test('tells of those of a pool whose class can not be read now', async () => {
    const { status } = await rig.create();
    rig.classes.get = () => {
      throw new Error('the API is unwell');
    };
    expect(idsOf(await rig.cloud.list())).toEqual([status?.providerID]);
  });

  test('makes no instance older than it is when EC2’s clock is behind', async () => {
    rig.aws.cloud.clockAhead = -120_000;
    await rig.create();
    const [claim] = await rig.cloud.list();
    expect(rig.clock.now() - Date.parse(claim?.metadata.creationTimestamp ?? '')).toBeLessThan(1000);
  });

  test('takes instances of which EC2 says hardly anything', async () => {
    await rig.create();
    altered('describeInstances', ({ Reservations = [] }: DescribeInstancesResult) => ({
      Reservations: [
        {},
        ...Reservations.map(({ Instances = [] }) => ({
          Instances: Instances.map(({ InstanceId }) => ({ InstanceId })),
        })),
      ],
    }));
    const [claim, ...more] = await rig.cloud.list();
    expect(more).toEqual([]);
    expect(claim?.status?.providerID).toMatch(/^aws:\/\/\/\/i-/);
  });
});

describe('a fleet', () => {
  test('that does not say where its instance is: the subnet tells', async () => {
    altered('createFleet', (answer) => {
      for (const { LaunchTemplateAndOverrides } of answer.Instances ?? []) {
        delete LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone;
      }
      return answer;
    });
    const { status } = await rig.create();
    const [instance] = rig.aws.cloud.running;
    expect(status?.providerID).toBe(
      `aws:///${instance?.data.Placement?.AvailabilityZone}/${instance?.data.InstanceId}`,
    );
  });

  test('that says nothing of its instance but the id has launched none that a claim could have', async () => {
    altered('createFleet', ({ Instances = [] }) => ({
      Instances: Instances.map(({ InstanceIds }) => ({ InstanceIds })),
    }));
    const error = await rig.create().catch((thrown: unknown) => thrown);
    expect(causeOf(error, CreateError)?.message).toContain('i-00000000000000001');
    expect(causeOf(error, InsufficientCapacityError)).toBeUndefined();
  });

  test.each([
    ['nothing at all', {}],
    ['empty lists', { Instances: [], Errors: [] }],
    ['an instance without an id', { Instances: [{ InstanceIds: [] }], Errors: [{}] }],
    ['an error that nobody knows', { Errors: [{ ErrorCode: 'Unheard.Of', ErrorMessage: 'what now' }] }],
  ])('that answers %s fails for the claim, which is tried again', async (_, answer) => {
    altered('createFleet', () => answer);
    const error = await rig.create().catch((thrown: unknown) => thrown);
    expect(causeOf(error, CreateError)).toBeDefined();
    expect(causeOf(error, InsufficientCapacityError)).toBeUndefined();
  });
});

describe('types', () => {
  const odd: readonly (readonly [string, Partial<InstanceTypeInfo>])[] = [
    ['without processors', { VCpuInfo: undefined }],
    ['without memory', { MemoryInfo: undefined }],
    ['without a network', { NetworkInfo: undefined }],
    [
      'without anything',
      {
        VCpuInfo: undefined,
        MemoryInfo: undefined,
        NetworkInfo: undefined,
        ProcessorInfo: undefined,
        SupportedUsageClasses: undefined,
        Hypervisor: undefined,
        EbsInfo: undefined,
      },
    ],
    ['of a name that is none', { InstanceType: 'quantum' as InstanceTypeInfo['InstanceType'] }],
    [
      'with a hypervisor and usage that nobody knows',
      { Hypervisor: 'warp' as 'nitro', SupportedUsageClasses: ['leased' as 'spot'] },
    ],
  ];
  test.each(odd)('%s stand in nobody’s way', async (_, changes) => {
    const { cloud } = rig.aws;
    cloud.instanceTypes = [
      { ...cloud.instanceTypes[0], InstanceType: 'x9.odd' as 't3.micro', ...changes },
      ...cloud.instanceTypes,
    ];
    await rig.start();
    expect((await rig.create()).status?.providerID).toBeDefined();
    const types = await rig.cloud.getInstanceTypes(rig.pools.get('pool') ?? nodePool());
    const names = new Set(types.map(({ name }) => name));
    expect(cloud.instanceTypes.slice(1).filter(({ InstanceType = '' }) => !names.has(InstanceType))).toEqual([]);
  });
});

test('an empty list of types or of what is sold where leaves what was known', async () => {
  altered('describeInstanceTypes', () => ({}));
  altered('describeInstanceTypeOfferings', () => ({ InstanceTypeOfferings: [] }));
  await expect(rig.instanceTypes.updateInstanceTypes()).rejects.toThrow('EC2 tells of no instance types any more');
  await expect(rig.instanceTypes.updateInstanceTypeOfferings()).rejects.toThrow('no instance type offerings any more');
  expect((await rig.create()).status?.providerID).toBeDefined();
});

describe('pages', () => {
  test('that come round again are an error, not a list without end', async () => {
    const call = async ({ NextToken = '0' }: { readonly NextToken?: string }) => ({
      NextToken: NextToken === '2' ? '1' : String(Number(NextToken) + 1),
    });
    const read = async () => {
      let count = 0;
      for await (const _ of pages(call, {})) if (++count > 10) return 'no end';
      return 'the end';
    };
    await expect(read()).rejects.toThrow('the page "1" has come before');
  });
});

test('a template that another controller has made meanwhile is used', async () => {
  const { ec2 } = rig.aws.apis;
  const { createLaunchTemplate } = ec2;
  Object.assign(ec2, {
    createLaunchTemplate: async (input: Parameters<typeof createLaunchTemplate>[0]) => {
      await createLaunchTemplate(input);
      throw awsError('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    },
  });
  expect((await rig.create()).status?.providerID).toBeDefined();
});
