import { beforeEach, describe, expect, test } from 'vitest';
import { node, nodeClaim, pod } from '../../test/factories/index.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { Cluster } from './cluster.ts';

const POOL = { 'karpenter.sh/nodepool': 'p', 'node.kubernetes.io/instance-type': 't' };
const launched = (name: string, id: string) =>
  nodeClaim({ metadata: { name, labels: POOL }, status: { providerID: id, capacity: { cpu: '8' } } });
const registered = (name: string, id: string, extra: Record<string, string> = {}) =>
  node({
    metadata: { name, labels: { ...POOL, 'karpenter.sh/registered': 'true', ...extra } },
    spec: { providerID: id },
  });

let clock: VirtualClock;
let cluster: Cluster;
beforeEach(() => {
  clock = new VirtualClock();
  cluster = new Cluster({ clock });
});

describe('joining', () => {
  test('8.1: a claim and its node are one, whichever is seen first', () => {
    cluster.updateNode(registered('n1', 'kwok://1'));
    cluster.updateNodeClaim(launched('c1', 'kwok://1'));
    cluster.updateNodeClaim(launched('c2', 'kwok://2'));
    cluster.updateNode(registered('n2', 'kwok://2'));
    expect(cluster.nodes().map((n) => [n.nodeClaim?.metadata.name, n.node?.metadata.name])).toEqual([
      ['c1', 'n1'],
      ['c2', 'n2'],
    ]);
  });

  test('8.1: a node that is not ours is known by its name', () => {
    cluster.updateNode(node({ metadata: { name: 'other' }, spec: { providerID: undefined } }));
    expect(cluster.node('other')?.node?.metadata.name).toBe('other');
  });

  test('8.2: a node of ours waits for its providerID and its type', () => {
    cluster.updateNode(node({ metadata: { labels: POOL }, spec: { providerID: '' } }));
    cluster.updateNode(node({ metadata: { labels: { 'karpenter.sh/nodepool': 'p' } } }));
    expect(cluster.nodes()).toEqual([]);
  });

  test('8.1: either half may go first, and nothing is left when both are gone', () => {
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    cluster.updateNode(registered('n', 'kwok://1'));
    cluster.deleteNodeClaim('c');
    expect(cluster.node('kwok://1')?.nodeClaim).toBeUndefined();
    cluster.deleteNode('n');
    expect(cluster.nodes()).toEqual([]);
  });
});

describe('being synced', () => {
  test('8.3: needs everything to have been fed in, and every claim to be launched', () => {
    expect(cluster.synced).toBe(false);
    cluster.markHydrated();
    expect(cluster.synced).toBe(true);
    cluster.updateNodeClaim(nodeClaim({ metadata: { name: 'c', labels: POOL } }));
    expect([cluster.synced, cluster.unlaunchedClaims()]).toEqual([false, ['c']]);
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    expect(cluster.synced).toBe(true);
  });

  test('8.3: is timed while it lasts that it is not', async () => {
    await clock.advance(2000);
    expect(cluster.unsyncedFor).toBe(2000);
    cluster.markHydrated();
    await clock.advance(2000);
    expect(cluster.unsyncedFor).toBe(0);
    cluster.updateNodeClaim(nodeClaim({ metadata: { name: 'c', labels: POOL } }));
    await clock.advance(3000);
    expect(cluster.unsyncedFor).toBe(3000);
    cluster.deleteNodeClaim('c');
    expect(cluster.unsyncedFor).toBe(0);
  });

  test('does not wait for a claim whose launch fails, but its pods do', () => {
    cluster.markHydrated();
    const claim = nodeClaim({ metadata: { name: 'c', labels: POOL } });
    cluster.expectNodeClaim(claim, [pod({ metadata: { uid: 'waiting' } })]);
    expect([cluster.synced, [...cluster.stalledPods()]]).toEqual([false, []]);
    const failed = { type: 'Launched', status: 'Unknown', reason: 'LaunchFailed' } as const;
    cluster.updateNodeClaim({ ...claim, status: { conditions: [failed] } });
    expect([cluster.synced, [...cluster.stalledPods()]]).toEqual([true, ['waiting']]);
    cluster.deleteNodeClaim('c');
    expect([...cluster.stalledPods()]).toEqual([]);
  });

  test('8.3: no longer waits for a claim that was deleted before its launch', () => {
    cluster.markHydrated();
    cluster.updateNodeClaim(nodeClaim({ metadata: { name: 'c', labels: POOL } }));
    cluster.deleteNodeClaim('c');
    expect(cluster.synced).toBe(true);
  });
});

describe('pool totals', () => {
  test('8.8: count the claim until the node is initialized, then the node', () => {
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    expect(cluster.poolResources('p')).toEqual({ cpu: 8000, nodes: 1000 });
    cluster.updateNode(registered('n', 'kwok://1', { 'karpenter.sh/initialized': 'true' }));
    expect(cluster.poolResources('p')).toMatchObject({ cpu: 4000, nodes: 1000 });
  });

  test('8.6: leave out what is on its way out', () => {
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    cluster.markForDeletion('kwok://1');
    expect(cluster.poolResources('p')).toEqual({});
    cluster.unmarkForDeletion('kwok://1');
    expect(cluster.poolResources('p')).toMatchObject({ cpu: 8000 });
  });
});

describe('a mark', () => {
  test('8.6: survives updates of the objects, and the claims are filed accordingly', () => {
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    cluster.markForDeletion('kwok://1');
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    expect(cluster.node('kwok://1')?.markedForDeletion).toBe(true);
    expect(cluster.pools.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 1 });
    cluster.unmarkForDeletion('kwok://1');
    expect(cluster.pools.counts('p')).toEqual({ active: 1, pendingDisruption: 0, deleting: 0 });
  });

  test('8.6: is implied by a claim that is being deleted', () => {
    const claim = launched('c', 'kwok://1');
    const metadata = { ...claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    cluster.updateNodeClaim({ ...claim, metadata });
    expect(cluster.node('kwok://1')?.markedForDeletion).toBe(true);
  });
});

test('8.4: a nomination ends by itself', async () => {
  cluster.updateNodeClaim(launched('c', 'kwok://1'));
  cluster.nominate('kwok://1', clock.now() + 20_000);
  expect(cluster.isNominated('kwok://1')).toBe(true);
  await clock.advance(20_000);
  expect(cluster.isNominated('kwok://1')).toBe(false);
});

describe('pods', () => {
  const bound = (changes = {}) => pod({ metadata: { name: 'a' }, spec: { nodeName: 'n' }, ...changes });

  test('8.9: are found by their node until they end or go', () => {
    cluster.updatePod(bound());
    expect(cluster.podsOn('n').map((p) => p.metadata.name)).toEqual(['a']);
    cluster.updatePod(bound({ status: { phase: 'Succeeded' } }));
    expect(cluster.podsOn('n')).toEqual([]);
  });

  test('8.9: that are ending still use their node', () => {
    cluster.updatePod(bound());
    cluster.updatePod(bound({ metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    expect(cluster.podsOn('n')).toHaveLength(1);
  });

  test('8.1: of the same name may come back on another node', () => {
    cluster.updatePod(bound());
    cluster.updatePod(bound({ spec: { nodeName: 'm' } }));
    expect([cluster.podsOn('n').length, cluster.podsOn('m').length]).toEqual([0, 1]);
  });
});

describe('the consolidation state', () => {
  test.each<[string, () => void]>([
    ['a pod is deleted', () => cluster.deletePod(pod())],
    ['a pod is bound', () => cluster.updatePod(pod({ spec: { nodeName: 'n' } }))],
    ['a node appears', () => cluster.updateNode(node())],
    [
      'a node is initialized',
      () => cluster.updateNode(registered('n', 'kwok://1', { 'karpenter.sh/initialized': 'true' })),
    ],
    ['a node is marked', () => cluster.markForDeletion('kwok://1')],
    ['a node is gone', () => cluster.deleteNode('n')],
    ['a claim is gone', () => cluster.deleteNodeClaim('c')],
    ['a pod moves', () => cluster.updatePod(pod({ metadata: { name: 'mover' }, spec: { nodeName: 'm' } }))],
    ['five minutes pass', () => void clock.advance(300_001)],
  ])('8.5: changes when %s', async (_, change) => {
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    cluster.updateNode(registered('n', 'kwok://1'));
    cluster.updatePod(pod({ metadata: { name: 'mover' }, spec: { nodeName: 'n' } }));
    const before = cluster.consolidationState();
    change();
    await clock.settle();
    expect(cluster.consolidationState()).not.toBe(before);
  });

  test('8.5: stays when a pod only ends', () => {
    const running = pod({ metadata: { name: 'a' }, spec: { nodeName: 'n' } });
    cluster.updatePod(running);
    const before = cluster.consolidationState();
    cluster.updatePod({ ...running, status: { phase: 'Succeeded' } });
    expect(cluster.consolidationState()).toBe(before);
  });

  test('8.5: stays when a node only beats its heart', () => {
    cluster.updateNode(registered('n', 'kwok://1'));
    const before = cluster.consolidationState();
    cluster.updateNode(registered('n', 'kwok://1'));
    expect(cluster.consolidationState()).toBe(before);
  });
});

describe('what a node has before it is initialized', () => {
  test('8.7: is what it reports, and what its claim says of the rest; it counts as one node', () => {
    cluster.updateNodeClaim(
      nodeClaim({
        metadata: { name: 'c', labels: POOL },
        status: { providerID: 'kwok://1', capacity: { cpu: '8', memory: '16Gi' } },
      }),
    );
    const bare = registered('n', 'kwok://1');
    cluster.updateNode({ ...bare, status: { ...bare.status, capacity: { cpu: '6', memory: '0' } } });
    expect(cluster.poolResources('p')).toEqual({ cpu: 6000, memory: 16 * 2 ** 30 * 1000, nodes: 1000 });
  });
});

describe('a node on its way out', () => {
  const condition = { type: 'InstanceTerminating', status: 'True' } as const;
  const claim = launched('c', 'kwok://1');
  test.each<[string, () => void, boolean]>([
    [
      'is one whose instance is being terminated',
      () => cluster.updateNodeClaim({ ...claim, status: { ...claim.status, conditions: [condition] } }),
      true,
    ],
    [
      'is one of ours that is deleted with its claim',
      () =>
        cluster.updateNodeClaim({
          ...claim,
          metadata: { ...claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
        }),
      true,
    ],
    [
      'is not one of ours whose claim stays',
      () => {
        cluster.updateNodeClaim(claim);
        const leaving = registered('n', 'kwok://1');
        cluster.updateNode({
          ...leaving,
          metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
        });
      },
      false,
    ],
    [
      'is one that is not ours and is deleted',
      () =>
        cluster.updateNode(
          node({
            metadata: { name: 'foreign', deletionTimestamp: '2026-01-01T00:00:00Z' },
            spec: { providerID: 'kwok://1' },
          }),
        ),
      true,
    ],
  ])('8.6: %s', (_, happen, leaving) => {
    happen();
    expect(cluster.node('kwok://1')?.markedForDeletion).toBe(leaving);
  });
});

test('8.8: totals of a pool without nodes are empty again', () => {
  cluster.updateNodeClaim(launched('c', 'kwok://1'));
  cluster.updateNode(registered('n', 'kwok://1'));
  cluster.deleteNodeClaim('c');
  expect(cluster.poolResources('p')).toMatchObject({ cpu: 4000, nodes: 1000 });
  cluster.deleteNode('n');
  expect(cluster.poolResources('p')).toEqual({});
});

test('8.2: a node of ours without a type is known once it is labelled as initialized', () => {
  cluster.updateNode(node({ metadata: { name: 'n', labels: { 'karpenter.sh/nodepool': 'p' } } }));
  expect(cluster.nodeByName('n')).toBeUndefined();
  const labels = { 'karpenter.sh/nodepool': 'p', 'karpenter.sh/initialized': 'true' };
  cluster.updateNode(node({ metadata: { name: 'n', labels }, spec: { providerID: 'kwok://1' } }));
  expect(cluster.nodeByName('n')?.node?.metadata.name).toBe('n');
});

test('8.9: a pod may be bound before its node is seen, and counts once it is', () => {
  cluster.updatePod(pod({ metadata: { name: 'a' }, spec: { nodeName: 'n' } }));
  cluster.updateNode(registered('n', 'kwok://1'));
  expect(cluster.podsOn('n').map(({ metadata }) => metadata.name)).toEqual(['a']);
});

describe('promises of nodes', () => {
  test('8.11: are kept within the limit, counting nodes that are there, on their way out, or promised', () => {
    const { pools } = cluster;
    pools.file('p', 'a', 'active');
    pools.file('p', 'b', 'deleting');
    expect(pools.reserve('p', 4, 1)).toBe(1);
    expect(pools.reserve('p', 4, 5)).toBe(1);
    expect(pools.reserve('p', 4, 1)).toBe(0);
    expect(pools.reserve('p', 1, 1)).toBe(0);
    pools.release('p', 2);
    expect(pools.reserve('p', 4, 5)).toBe(2);
  });

  test('8.11: a claim that waits to be replaced stays filed as that until it leaves', () => {
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    cluster.pools.file('p', 'c', 'pendingDisruption');
    cluster.updateNodeClaim(launched('c', 'kwok://1'));
    expect(cluster.pools.counts('p')).toEqual({ active: 0, pendingDisruption: 1, deleting: 0 });
    cluster.markForDeletion('kwok://1');
    expect(cluster.pools.counts('p')).toEqual({ active: 0, pendingDisruption: 0, deleting: 1 });
  });
});
