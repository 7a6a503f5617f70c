import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AwsEnvironment } from '../../../test/aws/aws-environment.ts';
import { TEST_REGION } from '../../../test/aws/fake-ec2.ts';
import { deployment, nodePool } from '../../../test/factories/index.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import { Deployments, NodeClaims, NodePools, Nodes } from '../../kube/resources.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import { toResourceList } from '../../scheduling/resource-list.ts';
import { AWS_ACCESS } from '../access.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../apis/ec2-node-class.ts';
import { DEFAULT_AWS_OPTIONS } from '../aws-options.ts';
import { classTypes } from './class-types.ts';
import { liveFacts } from './live-facts.ts';
import { fromFile, toFile } from './region-facts.ts';

let world: AwsEnvironment;
let cloud: CloudProvider;
let found: Awaited<ReturnType<typeof read>>;

const SPEC: Readonly<Record<string, Partial<EC2NodeClass['spec']>>> = {
  default: {},
  // Pods, reserved amounts and thresholds of its own, on larger volumes, in one zone.
  tuned: {
    kubelet: { maxPods: 30, kubeReserved: { cpu: '200m' }, evictionHard: { 'memory.available': '5%' } },
    blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '100Gi' } }],
    subnetSelectorTerms: [{ id: 'subnet-test1' }],
  },
  grouped: { placementGroupSelector: { name: 'racks' } },
  reserved: { capacityReservationSelectorTerms: [{ id: 'cr-1' }] },
};
const poolOf = (name: string) => {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name };
  return nodePool({ metadata: { name }, spec: { template: { spec: { nodeClassRef } } } });
};

beforeAll(async () => {
  world = await AwsEnvironment.open();
  const { env, aws } = world;
  aws.cloud.placementGroups.push({
    GroupId: 'pg-1',
    GroupName: 'racks',
    Strategy: 'partition',
    PartitionCount: 3,
    State: 'available',
  });
  aws.cloud.capacityReservations.push({
    ...{ CapacityReservationId: 'cr-1', InstanceType: 'm5.large', AvailabilityZone: `${TEST_REGION}a` },
    ...{ OwnerId: '012345678901', State: 'active', InstanceMatchCriteria: 'targeted', AvailableInstanceCount: 7 },
  });
  world.startCluster();
  for (const [name, spec] of Object.entries(SPEC)) {
    await world.nodeClass({ metadata: { name }, spec });
    await env.client.create(NodePools, poolOf(name));
  }
  const provider = await world.provider();
  ({ cloud } = provider);
  env.startOperator({}, { cloud, providerControllers: provider.controllers, access: AWS_ACCESS });
  await env.clock.advance(10_000);
  await env.client.create(Deployments, deployment(3, { metadata: { name: 'web', namespace: 'default' } }));
  // The offerings that were made before prices were known have been made again by then.
  await env.clock.advance(6 * 60_000);
  found = await read();
});
afterAll(async () => await world.close());

/** A type as the packer reads it. */
const plain = ({ name, requirements, offerings, capacity, overhead }: InstanceType) => ({
  name,
  requirements: [...requirements].map(String).sort(),
  capacity: toResourceList(capacity),
  overhead,
  offerings: offerings.map((offering) => ({
    ...offering,
    requirements: [...offering.requirements].map(String).sort(),
  })),
});

async function read() {
  const { env, aws } = world;
  const { client, clock } = env;
  const { facts, problems } = await liveFacts(aws.apis, TEST_REGION, clock);
  expect(problems).toEqual([]);
  const options = { options: DEFAULT_AWS_OPTIONS, reservedCapacity: true };
  const [nodeClasses, nodes, nodeClaims] = await Promise.all([
    client.list(Ec2NodeClasses),
    client.list(Nodes),
    client.list(NodeClaims),
  ]);
  expect(nodes.items.length).toBeGreaterThan(0);
  return await classTypes(
    // As it would come from a file.
    { facts: fromFile(JSON.parse(JSON.stringify(toFile(facts)))), ec2: aws.apis.ec2, clock, ...options },
    { nodeClasses: nodeClasses.items, nodes: nodes.items, nodeClaims: nodeClaims.items, nodeOverlays: [] },
  );
}

describe('who only looks', () => {
  test.each(Object.keys(SPEC))('sees the types that the controller sees: class %s', async (name) => {
    const pool = await world.env.client.get(NodePools, { name });
    const wanted = await cloud.getInstanceTypes(pool);
    const { types = [], problem } = found.get(name) ?? {};
    expect(problem).toBeUndefined();
    expect(types.length).toBeGreaterThan(10);
    expect(types.map(plain)).toEqual(wanted.map(plain));
  });

  test('is told what reservations have left, and how a placement group places', () => {
    expect(found.get('reserved')?.reservationsLeft?.get('cr-1')).toBe(7);
    expect(found.get('grouped')?.placementGroup).toMatchObject({ id: 'pg-1', strategy: 'partition' });
  });

  test('goes on with list prices where AWS keeps its own to itself', async () => {
    const { aws, env } = world;
    const refuse = async (): Promise<never> => {
      throw Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
    };
    const { facts, problems } = await liveFacts(
      { ec2: aws.apis.ec2, pricing: { getProducts: refuse } },
      TEST_REGION,
      env.clock,
    );
    expect(problems).toEqual([expect.stringContaining('not authorized')]);
    expect(facts.onDemand.get('m5.large')).toBeGreaterThan(0);
  });
});
