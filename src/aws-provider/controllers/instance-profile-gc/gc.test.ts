import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { NodeClassApi, NodeClassWorld } from '../../../../test/aws/node-class-world.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { AWS_GROUP } from '../../apis/ec2-node-class.ts';

const PERIOD = 30 * 60_000;
const PATH = '/karpenter/us-west-2/test-cluster/uid/';

let api: NodeClassApi;
let world: NodeClassWorld;
beforeAll(async () => {
  api = await NodeClassApi.open();
});
afterAll(async () => await api.close());
beforeEach(async () => {
  world = await NodeClassWorld.open(api);
});
afterEach(async () => await world.close());

const make = async (name: string, path = PATH): Promise<void> => await world.profiles.create(name, 'role', {}, path);
const left = (): string[] => [...world.aws.cloud.profiles.keys()].sort();

async function claim(profile: string, kind: string): Promise<void> {
  const annotations = { 'karpenter.k8s.aws/instance-profile-name': profile };
  const nodeClassRef = { group: AWS_GROUP, kind, name: 'default' };
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'Exists' }] as const;
  await world.client.create(NodeClaims, nodeClaim({ metadata: { annotations }, spec: { nodeClassRef, requirements } }));
}

test('13: profiles that no class and no claim uses are collected every half an hour', async () => {
  await world.create();
  const { status } = await world.nodeClass();
  await claim('of-a-claim', 'EC2NodeClass');
  await claim('of-a-foreign-claim', 'OtherNodeClass');
  for (const name of ['unused', 'of-a-claim', 'of-a-foreign-claim', 'protected']) await make(name);
  await make('of-another-cluster', '/karpenter/us-west-2/test-cluster-2/uid/');
  // It protects what it has made; that must not be what saves it here.
  world.profiles.setProtected(status?.instanceProfile ?? '', false);
  world.profiles.setProtected('protected', true);
  await world.clock.advance(PERIOD - 2000);
  expect(left()).toContain('unused');
  await world.clock.advance(2000);
  expect(left()).toEqual(['of-a-claim', 'of-another-cluster', 'protected', status?.instanceProfile].sort());
});

test('13: what fails is tried again', async () => {
  await make('unused');
  world.aws.calls.fail('deleteInstanceProfile', awsError('ServiceFailure', 'no', 500), 1);
  await world.clock.advance(PERIOD + 1000);
  expect(left()).toEqual([]);
  expect(world.reconciled.find(({ result }) => result === 'error')).toMatchObject({
    controller: 'instanceprofile.garbagecollection',
    error: { message: 'deleting instance profile (instance-profile=unused), deleting instance profile unused, no' },
  });
});
