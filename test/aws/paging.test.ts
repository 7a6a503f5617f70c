import { afterEach, beforeEach, expect, test } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { Deployments, NodePools, Pods } from '../../src/kube/resources.ts';
import { deployment, nodePool } from '../factories/index.ts';
import { AwsEnvironment } from './aws-environment.ts';
import { PAGED_CALLS } from './calls.ts';

const MINUTE_MS = 60_000;
const TEAMS = ['a', 'b'];

let world: AwsEnvironment;
beforeEach(async () => {
  world = await AwsEnvironment.open();
});
afterEach(async () => await world.close());

/** A class, a pool and a pod of its own. */
async function makeTeam(team: string): Promise<void> {
  const { client } = world.env;
  const metadata = { name: team };
  await world.nodeClass({ metadata, spec: { capacityReservationSelectorTerms: [{ tags: { team: '*' } }] } });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: team };
  const template = { metadata: { labels: { team } }, spec: { nodeClassRef } };
  await client.create(NodePools, nodePool({ metadata, spec: { template } }));
  const pod = { spec: { nodeSelector: { team } } };
  await client.create(
    Deployments,
    deployment(1, { metadata: { ...metadata, namespace: 'default' }, spec: { template: pod } }),
  );
}

test('AWS may answer every list in pages of one: all of them are read', async () => {
  const { env, aws } = world;
  aws.cloud.pageLimit = 1;
  for (const [index, zone] of [...aws.cloud.zones.keys()].entries()) {
    aws.cloud.capacityReservations.push({
      CapacityReservationId: `cr-${index}`,
      InstanceType: 'm5.large',
      AvailabilityZone: zone,
      State: 'active',
      InstanceMatchCriteria: 'targeted',
      OwnerId: '123456789012',
      AvailableInstanceCount: 0,
      Tags: [{ Key: 'team', Value: 'all' }],
    });
  }
  world.startCluster();
  for (const team of TEAMS) await makeTeam(team);
  const { kill } = await world.startOperator();
  await env.clock.advance(MINUTE_MS / 2);
  const { status } = await env.client.get(Ec2NodeClasses, { name: 'a' });
  expect(status).toMatchObject({
    subnets: { length: 3 },
    securityGroups: { length: 2 },
    capacityReservations: { length: 3 },
  });
  expect(status?.amis?.length).toBeGreaterThan(1);

  // The next leader takes up all launch templates that the one before has left.
  await kill();
  await world.startOperator();
  await env.clock.advance(MINUTE_MS / 2);
  expect((await env.client.list(Pods)).items.map((pod) => pod.status?.phase)).toEqual(['Running', 'Running']);
  for (const instance of aws.cloud.running) instance.impaired = { kind: 'system', since: env.clock.now() };
  await env.clock.advance(2 * MINUTE_MS);
  for (const name of TEAMS) {
    await env.client.delete(Deployments, { name, namespace: 'default' });
    await env.client.delete(NodePools, { name });
    await env.client.delete(Ec2NodeClasses, { name });
  }
  await env.clock.advance(10 * MINUTE_MS);
  expect([...aws.cloud.running, ...aws.cloud.launchTemplates.keys(), ...aws.cloud.profiles.keys()]).toEqual([]);
  for (const name of PAGED_CALLS) {
    const further = aws.calls.inputs(name).filter(({ NextToken, Marker }) => NextToken ?? Marker);
    expect(further.length, name).toBeGreaterThan(0);
  }
});
