import { beforeEach, expect, test } from 'vitest';
import { nodeClaim, nodePool } from '../../../test/factories/index.ts';
import { runningNode, world } from '../../../test/factories/world.ts';
import { Requirements } from '../../scheduling/requirements.ts';
import type { PlannedNodeClaim } from '../../scheduling/types.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { Cluster } from '../../state/cluster.ts';
import { LimitExceededError, PromisedCapacity } from './promised-capacity.ts';

const pool = nodePool({ metadata: { name: 'p' }, spec: { limits: { cpu: '16' } } });

/** A claim that may become a node of eight cpus at most. */
const plan: PlannedNodeClaim = {
  nodePool: pool,
  pods: [],
  instanceTypes: (world({ pools: [pool] }).pools[0]?.instanceTypes ?? []).filter(({ name }) =>
    ['c-4x-amd64-linux', 'c-8x-amd64-linux'].includes(name),
  ),
  requirements: Requirements.fromItems([]),
  requests: {},
  annotations: {},
};
const labels = { 'karpenter.sh/nodepool': 'p' };

let cluster: Cluster;
let promises: PromisedCapacity;
beforeEach(() => {
  cluster = new Cluster({ clock: new VirtualClock() });
  promises = new PromisedCapacity(cluster);
});

const create = (name: string) => {
  promises.hold(pool, plan, []).claim = name;
  cluster.expectNodeClaim(nodeClaim({ metadata: { name, labels } }));
};

test('claims that are being created or launched take the largest they may become', () => {
  create('first');
  const second = promises.hold(pool, plan, []);
  expect(() => promises.hold(pool, plan, [])).toThrow(LimitExceededError);
  promises.release(second);
  expect(() => promises.hold(pool, plan, [])).not.toThrow();
});

test('a claim that is launched counts as what it is, and one that is gone not at all', () => {
  create('first');
  create('second');
  const status = { providerID: 'kwok://1', capacity: { cpu: '8' } };
  cluster.updateNodeClaim(nodeClaim({ metadata: { name: 'first', labels }, status }));
  expect(() => promises.hold(pool, plan, [])).toThrow('resource-name=cpu, limit=16');
  cluster.deleteNodeClaim('second');
  expect(() => promises.hold(pool, plan, [])).not.toThrow();
});

test('nodes make room for those that replace them', () => {
  for (const name of ['a', 'b']) {
    const { nodeClaim: claim } = runningNode({ pool, name });
    if (claim) cluster.updateNodeClaim(claim);
  }
  expect(() => promises.hold(pool, plan, [])).toThrow(LimitExceededError);
  expect(() => promises.hold(pool, plan, cluster.nodes().slice(0, 1))).not.toThrow();
});

test('a node that has gone since its replacement was planned makes no room a second time', () => {
  for (const name of ['a', 'b']) {
    const { nodeClaim: claim } = runningNode({ pool, name });
    if (claim) cluster.updateNodeClaim(claim);
  }
  const planned = cluster.nodes().slice(0, 1);
  cluster.deleteNodeClaim('a');
  create('for the pods of a');
  expect(() => promises.hold(pool, plan, planned)).toThrow(LimitExceededError);
});
