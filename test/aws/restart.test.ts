import type { CreateFleetRequest } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
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

test('27: a controller knows which zones are shifted away before it does anything', async () => {
  const world = await AwsEnvironment.open({ aws: { enableZonalShift: true } });
  const { aws, env } = world;
  const { metadata } = await world.nodeClass();
  const subnets = aws.cloud.subnets.map((subnet) => ({
    id: subnet.SubnetId,
    zone: subnet.AvailabilityZone,
    zoneID: subnet.AvailabilityZoneId,
  }));
  const body = { status: { subnets } };
  await env.client.patch(Ec2NodeClasses, metadata, { type: 'merge', body }, { subresource: 'status' });
  const expiryTime = (env.clock.now() + MINUTE_MS) / 1000;
  aws.cloud.zonalShifts = [{ awayFrom: subnets[0]?.zoneID ?? '', appliedStatus: 'APPLIED', expiryTime }];
  const { cloud } = await world.provider();
  await cloud.start(new AbortController().signal);
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: metadata.name };
  const types = await cloud.getInstanceTypes(nodePool({ spec: { template: { spec: { nodeClassRef } } } }));
  const onSale = types.flatMap(({ offerings }) => offerings.filter(({ available }) => available));
  const zones = new Set(onSale.map(({ requirements }) => requirements.get('topology.kubernetes.io/zone').any()));
  expect([...zones].sort()).toEqual(subnets.slice(1).map(({ zone }) => zone));
  await world.close();
});
