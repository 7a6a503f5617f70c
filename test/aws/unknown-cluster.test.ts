import { expect, test } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import type { Client } from '../../src/kube/client.ts';
import { Deployments, NodeClaims, NodePools, Nodes } from '../../src/kube/resources.ts';
import { deployment, nodePool } from '../factories/index.ts';
import { alteredClient } from '../support/altered-client.ts';
import { AwsEnvironment } from './aws-environment.ts';

const MINUTE_MS = 60_000;
const CLASS = { name: 'default' };
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const POOL_VERSION = 'karpenter.sh/nodepool-hash-version';

/** A client whose lists of what Karpenter owns come when told, as from an API server that is slow after a restart. */
function slowLists(base: Client) {
  const classes = Promise.withResolvers<void>();
  const others = Promise.withResolvers<void>();
  const list: Client['list'] = async (resource, ...rest) => {
    if ([Ec2NodeClasses, NodePools].some(({ kind }) => kind === resource.kind)) await classes.promise;
    if ([NodeClaims, Nodes].some(({ kind }) => kind === resource.kind)) await others.promise;
    return await base.list(resource, ...rest);
  };
  return { client: alteredClient(base, { list }), releaseClasses: classes.resolve, release: others.resolve };
}

test('a controller that starts takes nothing for unused, and no message for somebody else’s, before it knows its claims', async () => {
  const world = await AwsEnvironment.open({ aws: { interruptionQueue: 'q' } });
  const { env, aws } = world;
  const { client, clock } = env;
  const queue = aws.cloud.addQueue('q');
  world.startCluster();
  await world.nodeClass({ metadata: CLASS });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const pool = await client.create(NodePools, nodePool({ spec: { template: { spec: { nodeClassRef } } } }));
  const first = await world.startOperator();
  await clock.advance(10_000);
  await client.create(Deployments, deployment(1));
  await clock.advance(MINUTE_MS);
  await first.kill();
  // By name: one that was deleted is made anew under another.
  const profiles = () => [...aws.cloud.profiles].map(([name, { Roles }]) => [name, Roles?.[0]?.RoleName]);
  const made = profiles();
  expect(made).toEqual([[expect.any(String), 'test-role']]);

  // As an earlier version would have left them.
  const body = { metadata: { annotations: { [VERSION]: 'v5', [POOL_VERSION]: 'v1' } } };
  const [claim] = (await client.list(NodeClaims)).items;
  await client.patch(Ec2NodeClasses, CLASS, { type: 'merge', body });
  const { name } = pool.metadata;
  await client.patch(NodePools, { name }, { type: 'merge', body });
  await client.patch(NodeClaims, { name: claim?.metadata.name ?? '' }, { type: 'merge', body });
  const [id] = aws.cloud.instances.keys();
  queue.send({
    version: '0',
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    detail: { 'instance-id': id },
  });
  const { client: slow, releaseClasses, release } = slowLists(env.api.client('karpenter'));
  await world.startOperator({ client: slow });
  await clock.advance(5 * MINUTE_MS);
  expect(profiles()).toEqual(made);
  releaseClasses();
  await clock.advance(5 * MINUTE_MS);
  expect(queue.bodies).toHaveLength(1);
  expect([...aws.cloud.instances.values()].map(({ terminatedAt }) => terminatedAt)).toEqual([undefined]);
  expect((await client.get(Ec2NodeClasses, CLASS)).metadata.annotations?.[VERSION]).toBe('v5');
  expect((await client.get(NodePools, { name })).metadata.annotations?.[POOL_VERSION]).toBe('v1');

  release();
  await clock.advance(1000);
  expect(queue.bodies).toHaveLength(0);
  const ended = (await client.list(NodeClaims)).items.find(({ metadata }) => metadata.name === claim?.metadata.name);
  expect(ended?.metadata.deletionTimestamp).toBeDefined();
  expect(ended?.metadata.annotations?.[VERSION]).toBe('v6');
  expect(ended?.metadata.annotations?.[POOL_VERSION]).not.toBe('v1');
  expect(profiles()).toEqual(made);
  await world.close();
});
