import type { CreateFleetRequest } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { Deployments, NodePools } from '../../src/kube/resources.ts';
import { deployment, nodePool } from '../factories/index.ts';
import { AwsEnvironment } from './aws-environment.ts';

const MINUTE_MS = 60_000;

test('a controller that starts in the middle of a shortage asks EC2 for nothing that the last one was refused', async () => {
  const world = await AwsEnvironment.open();
  const { env, aws } = world;
  const { client, clock } = env;
  world.startCluster();
  await world.nodeClass({ metadata: { name: 'default' } });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }] as const;
  await client.create(NodePools, nodePool({ spec: { template: { spec: { nodeClassRef, requirements } } } }));
  for (const zone of aws.cloud.zones.keys()) {
    for (const capacityType of ['on-demand', 'spot']) aws.cloud.sellOut(capacityType, 'm5.large', zone);
  }
  const fleets = (dry: boolean) =>
    aws.calls.inputs<CreateFleetRequest>('createFleet').filter(({ DryRun = false }) => DryRun === dry).length;
  const asked = () => fleets(false);
  const { kill } = await world.startOperator();
  await clock.advance(10_000);
  await client.create(Deployments, deployment(1));
  await clock.advance(MINUTE_MS);
  const refused = asked();
  expect(refused).toBeGreaterThan(0);
  // The class is not tried anew because we told something on it.
  expect(fleets(true)).toBe(1);
  await kill();
  await world.startOperator();
  await clock.advance(MINUTE_MS);
  expect(asked()).toBe(refused);
  await clock.advance(2 * MINUTE_MS);
  expect(asked()).toBeGreaterThan(refused);
  await world.close();
});
