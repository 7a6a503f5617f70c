import { expect, test } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { Deployments, NodeClaims, NodePools, Nodes, Pods } from '../../src/kube/resources.ts';
import { deployment, nodePool } from '../factories/index.ts';
import { AwsEnvironment } from './aws-environment.ts';

const MINUTE_MS = 60_000;

test('pods that wait get instances of EC2, and nothing is left in the account when all is deleted', async () => {
  const world = await AwsEnvironment.open();
  const { env, aws } = world;
  const { client, clock } = env;
  const running = () => [...aws.cloud.instances.values()].filter(({ terminatedAt }) => terminatedAt === undefined);
  world.startCluster();
  await world.nodeClass({ metadata: { name: 'default' } });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const pool = await client.create(NodePools, nodePool({ spec: { template: { spec: { nodeClassRef } } } }));
  await world.startOperator();
  await clock.advance(10_000);
  const { status } = await client.get(Ec2NodeClasses, { name: 'default' });
  expect(status?.conditions?.filter((condition) => condition.status !== 'True')).toEqual([]);

  const web = await client.create(Deployments, deployment(3));
  await clock.advance(MINUTE_MS);
  const pods = await client.list(Pods);
  expect(pods.items.map((pod) => pod.status?.phase)).toEqual(['Running', 'Running', 'Running']);
  const [node] = (await client.list(Nodes)).items;
  const id = running()[0]?.data.InstanceId ?? '';
  expect(running()[0]?.data.Tags).toContainEqual({ Key: 'Name', Value: node?.metadata.name });
  expect(node?.spec.providerID).toBe(`aws:///${node?.metadata.labels?.['topology.kubernetes.io/zone']}/${id}`);

  await client.delete(Deployments, { name: web.metadata.name, namespace: web.metadata.namespace ?? 'default' });
  await clock.advance(3 * MINUTE_MS);
  expect(running()).toEqual([]);
  await client.delete(NodePools, { name: pool.metadata.name });
  await client.delete(Ec2NodeClasses, { name: 'default' });
  await clock.advance(5 * MINUTE_MS);
  expect((await client.list(NodeClaims)).items).toEqual([]);
  expect((await client.list(Ec2NodeClasses)).items).toEqual([]);
  expect([...aws.cloud.launchTemplates.keys(), ...aws.cloud.profiles.keys()]).toEqual([]);
  await world.close();
});
