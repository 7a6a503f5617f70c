import { describe, expect, test } from 'vitest';
import { goes, pool, run, SMALL } from '../../test/factories/disruption.ts';
import { boundPod, nodePool, runningNode, world } from '../../test/factories/index.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { nodeLabels, stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';

const DEAR = 'm-16x-amd64-linux';
const CHEAP = 'c-1x-amd64-linux';
const node = (p: NodePool, name: string, instanceType: string): StateNode =>
  runningNode({ pool: p, name, instanceType });
const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
const tiny = { cpu: '10m', memory: '10Mi' };

describe('the order of candidates', () => {
  test('7.3.2: is what they cost for what they disrupt, dearest first', () => {
    const p = pool();
    const [cheap, busy, calm] = [node(p, 'a', CHEAP), node(p, 'b', DEAR), node(p, 'c', DEAR)];
    const pods = [boundPod(cheap, tiny), boundPod(busy, SMALL), boundPod(busy, SMALL), boundPod(calm, SMALL)];
    const w = world({ pools: [p], nodes: [cheap, busy, calm], pods });
    expect(goes(run(w, 'SingleNodeConsolidation'))).toEqual([['c']]);
    const withoutCalm = world({ pools: [p], nodes: [cheap, busy], pods: pods.slice(0, 3) });
    expect(goes(run(withoutCalm, 'SingleNodeConsolidation'))).toEqual([['b']]);
  });

  test('7.10.1: of single nodes lets pools take turns, best savings first within each', () => {
    const [p, q] = [pool(), nodePool({ metadata: { name: 'other' } })];
    const spot = (of: NodePool, name: string) =>
      runningNode({ pool: of, name, instanceType: CHEAP, capacityType: 'spot' });
    const nodes = [spot(p, 'a'), spot(p, 'b'), spot(p, 'c'), spot(q, 'x'), spot(q, 'y')];
    const pods = nodes.map((n) => boundPod(n, { cpu: '900m', memory: '1Gi' }));
    // Time is up before each candidate but the first few: what was not looked at is what comes last.
    const unseenAfter = (count: number): readonly string[] => {
      let calls = 0;
      const elapsed = (): number => (calls++ <= count ? 0 : 180_001);
      return run(world({ pools: [p, q], nodes, pods }), 'SingleNodeConsolidation', { elapsed }).unseenNodes;
    };
    expect([0, 1, 2, 3, 4].map((count) => unseenAfter(count)[0])).toEqual(['a', 'x', 'b', 'y', 'c']);
  });

  test('7.10.3: the first that can go is taken, alone', () => {
    const p = pool();
    const nodes = ['a', 'b', 'c'].map((name) => node(p, name, DEAR));
    const w = world({ pools: [p], nodes, pods: nodes.map((n) => boundPod(n, SMALL)) });
    expect(goes(run(w, 'SingleNodeConsolidation'))).toEqual([['a']]);
  });
});

test('7.11.8: savings are what the nodes cost less the cheapest offering of the replacement’s first type', () => {
  const p = pool();
  const nodes = ['a', 'b'].map((name) => node(p, name, DEAR));
  const w = world({ pools: [p], nodes, pods: nodes.map((n) => boundPod(n, SMALL)) });
  const [command] = run(w, 'MultiNodeConsolidation').commands;
  const [first] = command?.replacements[0]?.instanceTypes ?? [];
  const priceOf = (n: StateNode): number => {
    const labels = nodeLabels(n);
    const type = w.pools[0]?.instanceTypes.find(({ name }) => name === labels['node.kubernetes.io/instance-type']);
    return type?.offerings.find((o) => o.requirements.get('karpenter.sh/capacity-type').has('on-demand'))?.price ?? 0;
  };
  const spot = first?.offerings.filter((o) => o.requirements.get('karpenter.sh/capacity-type').has('spot')) ?? [];
  const cheapest = Math.min(...spot.map(({ price }) => price));
  expect(command?.savings).toBeCloseTo(nodes.reduce((sum, n) => sum + priceOf(n), 0) - cheapest, 9);
});

describe('a Balanced pool', () => {
  const balanced = pool({ consolidationPolicy: 'Balanced' });

  /** A cheap node with eight pods, and three nodes of the pool that may not be disrupted. */
  const fleet = (p: NodePool, types: string, busyOthers: boolean) => {
    const n = node(p, 'n', CHEAP);
    const others = ['x', 'y', 'z'].map((name) => runningNode({ pool: p, name, instanceType: types, ...kept }));
    const own = Array.from({ length: 8 }, () => boundPod(n, tiny));
    const theirs = busyOthers ? others.flatMap((o) => Array.from({ length: 60 }, () => boundPod(o, tiny))) : [];
    return world({ pools: [p], nodes: [...others, n], pods: [...own, ...theirs] });
  };

  test('7.12.1: is weighed by all its nodes and pods, also those that may not be disrupted', () => {
    expect(goes(run(fleet(balanced, CHEAP, true), 'SingleNodeConsolidation'))).toEqual([['n']]);
    expect(goes(run(fleet(balanced, DEAR, true), 'SingleNodeConsolidation'))).toEqual([]);
  });

  test('7.12.6: pods of nodes that may not be disrupted count every time, whatever happened to their claims', () => {
    expect(goes(run(fleet(balanced, CHEAP, false), 'SingleNodeConsolidation'))).toEqual([]);
    expect(goes(run(fleet(balanced, CHEAP, true), 'SingleNodeConsolidation'))).toEqual([['n']]);
  });

  test('7.12.4: whose nodes have no price is tried, and refused by its score', () => {
    const unknown = runningNode({ pool: balanced, name: 'n', zone: 'nowhere' });
    const other = runningNode({ pool: balanced, name: 'o', zone: 'nowhere' });
    const w = world({
      pools: [balanced],
      nodes: [unknown, other],
      pods: [boundPod(unknown, tiny), boundPod(other, tiny)],
    });
    const result = run(w, 'SingleNodeConsolidation');
    expect(result.commands).toEqual([]);
    expect(result.moves[0]).toMatchObject({ approved: false, score: { score: 0 } });
  });

  test('7.9.4: has to approve of several nodes at once', () => {
    const nodes = ['a', 'b', 'c'].map((name) => node(balanced, name, CHEAP));
    const dear = ['x', 'y', 'z'].map((name) => runningNode({ pool: balanced, name, instanceType: DEAR, ...kept }));
    const pods = nodes.flatMap((n) => [boundPod(n, tiny), boundPod(n, tiny)]);
    const several = run(world({ pools: [balanced], nodes: [...nodes, ...dear], pods }), 'MultiNodeConsolidation');
    expect(several.commands).toEqual([]);
    expect(several.moves.map((move) => move.approved)).toEqual([false]);
    const free = pool();
    const same = nodes.map((n) => node(free, stateNodeName(n), CHEAP));
    const others = ['x', 'y', 'z'].map((name) => runningNode({ pool: free, name, instanceType: DEAR, ...kept }));
    const w = world({ pools: [free], nodes: [...same, ...others], pods });
    expect(goes(run(w, 'MultiNodeConsolidation'))).toEqual([['a', 'b', 'c']]);
  });
});
