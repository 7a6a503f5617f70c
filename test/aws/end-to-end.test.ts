import { afterEach, beforeEach, expect, test } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { Deployments, NodeClaims, NodePools, Nodes, Pods } from '../../src/kube/resources.ts';
import { deployment, nodePool } from '../factories/index.ts';
import { AwsEnvironment } from './aws-environment.ts';
import type { FakeQueue } from './fake/queue.ts';

const MINUTE_MS = 60_000;
const WEB = { name: 'web', namespace: 'default' };

let world: AwsEnvironment;
let queue: FakeQueue;
beforeEach(async () => {
  world = await AwsEnvironment.open({ aws: { interruptionQueue: 'news' } });
  queue = world.aws.cloud.addQueue('news');
  world.startCluster();
  await world.nodeClass({ metadata: { name: 'default' } });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const template = { spec: { nodeClassRef } };
  await world.env.client.create(NodePools, nodePool({ metadata: { name: 'default' }, spec: { template } }));
  await world.startOperator();
  await world.env.clock.advance(10_000);
  const { status } = await world.env.client.get(Ec2NodeClasses, { name: 'default' });
  expect(status?.conditions?.filter((condition) => condition.status !== 'True')).toEqual([]);
  await world.env.client.create(Deployments, deployment(3, { metadata: WEB }));
  await world.env.clock.advance(MINUTE_MS);
});
afterEach(async () => await world.close());

const running = () => [...world.aws.cloud.instances.values()].filter(({ terminatedAt }) => terminatedAt === undefined);
const phases = async () => (await world.env.client.list(Pods)).items.map(({ status }) => status?.phase);

test('pods that wait get instances of EC2, and nothing is left in the account when all is deleted', async () => {
  const { env, aws } = world;
  const { client, clock } = env;
  expect(await phases()).toEqual(['Running', 'Running', 'Running']);
  const [node] = (await client.list(Nodes)).items;
  const { InstanceId, Tags } = running()[0]?.data ?? expect.fail('no instance');
  expect(Tags).toContainEqual({ Key: 'Name', Value: node?.metadata.name });
  expect(node?.spec.providerID).toBe(`aws:///${node?.metadata.labels?.['topology.kubernetes.io/zone']}/${InstanceId}`);

  await client.delete(Deployments, WEB);
  await clock.advance(3 * MINUTE_MS);
  expect(running()).toEqual([]);
  await client.delete(NodePools, { name: 'default' });
  await client.delete(Ec2NodeClasses, { name: 'default' });
  await clock.advance(5 * MINUTE_MS);
  expect((await client.list(NodeClaims)).items).toEqual([]);
  expect((await client.list(Ec2NodeClasses)).items).toEqual([]);
  expect([...aws.cloud.launchTemplates.keys(), ...aws.cloud.profiles.keys()]).toEqual([]);
});

test('an instance that EC2 wants back is drained within a second of the message, and replaced', async () => {
  const { client, clock } = world.env;
  const [old] = running();
  const detail = { 'instance-id': old?.data.InstanceId, 'instance-action': 'terminate' };
  const time = new Date(clock.now()).toISOString();
  const type = 'EC2 Spot Instance Interruption Warning';
  queue.send({ version: '0', source: 'aws.ec2', 'detail-type': type, time, detail });
  await clock.advance(1000);
  const [claim] = (await client.list(NodeClaims)).items;
  const [node] = (await client.list(Nodes)).items;
  expect(claim?.metadata.deletionTimestamp).toBeDefined();
  expect(node?.spec.taints?.map(({ key }) => key)).toContain('karpenter.sh/disrupted');
  expect(queue.bodies).toEqual([]);

  await clock.advance(3 * MINUTE_MS);
  expect(await phases()).toEqual(['Running', 'Running', 'Running']);
  const [replacement, ...more] = running();
  expect(more).toEqual([]);
  const offeringOf = (instance = old) => [instance?.data.InstanceType, instance?.data.Placement?.AvailabilityZone];
  expect(offeringOf(replacement)).not.toEqual(offeringOf(old));
});
