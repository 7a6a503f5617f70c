import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { NodeClassApi, NodeClassWorld } from '../../../../../test/aws/node-class-world.ts';
import { nodeClaim } from '../../../../../test/factories/index.ts';
import { NodeClaims } from '../../../../kube/resources.ts';
import { AWS_GROUP } from '../../../apis/ec2-node-class.ts';
import { ec2NodeClassHash } from '../../../apis/hash/ec2-node-class-hash.ts';

const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const CA_BUNDLE = 'Y2E=';

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

async function claim(name: string, version: string, { drifted = false, nodeClass = 'default' } = {}): Promise<void> {
  await world.client.create(
    NodeClaims,
    nodeClaim({
      metadata: { name, annotations: { [HASH]: `hash-of-${name}`, [VERSION]: version } },
      spec: {
        nodeClassRef: { group: AWS_GROUP, kind: 'EC2NodeClass', name: nodeClass },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'Exists' }],
      },
    }),
  );
  if (!drifted) return;
  const condition = { type: 'Drifted', status: 'True', reason: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const body = { status: { conditions: [condition] } };
  await world.client.patch(NodeClaims, { name }, { type: 'merge', body }, { subresource: 'status' });
}

test('8: a class is stamped with its hash, anew when its spec changes in what counts', async () => {
  const first = await world.create();
  const hash = ec2NodeClassHash(first, CA_BUNDLE);
  expect(first.metadata.annotations).toMatchObject({ [HASH]: hash, [VERSION]: 'v6' });
  const same = await world.edit({ subnetSelectorTerms: [{ id: 'subnet-1' }] });
  expect(same.metadata.annotations?.[HASH]).toBe(hash);
  const other = await world.edit({ userData: 'echo' });
  expect(other.metadata.annotations?.[HASH]).not.toBe(hash);
  expect(other.metadata.annotations?.[HASH]).toBe(ec2NodeClassHash(other, CA_BUNDLE));
});

test('8: claims of another version take the hash of their class, unless they had drifted', async () => {
  await claim('old', 'v5');
  await claim('drifted', 'v5', { drifted: true });
  await claim('new', 'v6');
  await claim('foreign', 'v5', { nodeClass: 'other' });
  await world.clock.settle();
  const { metadata } = await world.create({ metadata: { annotations: { [HASH]: 'x', [VERSION]: 'v5' } } });
  const stamps = (await world.client.list(NodeClaims)).items.map(({ metadata: { name, annotations = {} } }) => [
    name,
    annotations[HASH],
    annotations[VERSION],
  ]);
  expect(stamps).toEqual([
    ['drifted', 'hash-of-drifted', 'v6'],
    ['foreign', 'hash-of-foreign', 'v5'],
    ['new', 'hash-of-new', 'v6'],
    ['old', metadata.annotations?.[HASH], 'v6'],
  ]);
});
