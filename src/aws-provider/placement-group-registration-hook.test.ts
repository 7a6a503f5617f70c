import { beforeEach, expect, test } from 'vitest';
import { nodeClaim } from '../../test/factories/index.ts';
import { NodeClaimNotFoundError } from '../cloudprovider/errors.ts';
import { PlacementGroupRegistrationHook } from './placement-group-registration-hook.ts';
import type { Instance, InstanceProvider } from './providers/contracts.ts';

const GROUP = { 'karpenter.k8s.aws/placement-group-id': 'pg-1' };
const UNKNOWN = { ...GROUP, 'karpenter.k8s.aws/placement-group-partition': '' };
const LAUNCHED = { providerID: 'aws:///us-west-2a/i-1' };

let asked: unknown[];
beforeEach(() => {
  asked = [];
});

function registered(labels: Readonly<Record<string, string>>, status: object, partitionNumber?: number) {
  const get: InstanceProvider['get'] = async (id, options) => {
    asked.push([id, options]);
    return { id, ...(partitionNumber === undefined ? {} : { partitionNumber }) } as Instance;
  };
  const hook = new PlacementGroupRegistrationHook({ instances: { get } });
  return hook.registered(nodeClaim({ metadata: { labels }, status }));
}

test.each([
  ['without a placement group', {}],
  ['of a group without partitions', GROUP],
  ['whose partition is known', { ...UNKNOWN, 'karpenter.k8s.aws/placement-group-partition': '2' }],
  ['with the label of a partition but no group', { 'karpenter.k8s.aws/placement-group-partition': '' }],
])('a node %s is not held back', async (_what, labels) => {
  expect(await registered(labels, LAUNCHED, 3)).toEqual({});
  expect(asked).toEqual([]);
});

test('a node is held back until EC2 itself tells its partition, which becomes its label', async () => {
  expect(await registered(UNKNOWN, LAUNCHED)).toEqual({ requeue: true });
  expect(asked).toEqual([['i-1', { skipCache: true }]]);
  expect(await registered(UNKNOWN, LAUNCHED, 3)).toEqual({
    labels: { 'karpenter.k8s.aws/placement-group-partition': '3' },
  });
});

test('a claim that is not launched is looked at again', async () => {
  expect(await registered(UNKNOWN, {}, 3)).toEqual({ requeue: true });
  expect(asked).toEqual([]);
});

test('a failure to describe the instance says what it was for', async () => {
  const get = () => Promise.reject(new NodeClaimNotFoundError('i-1'));
  const hook = new PlacementGroupRegistrationHook({ instances: { get } });
  const claim = nodeClaim({ metadata: { labels: UNKNOWN }, status: LAUNCHED });
  await expect(hook.registered(claim)).rejects.toThrow(
    'describing instance for partition number, nodeclaim not found, i-1',
  );
});
