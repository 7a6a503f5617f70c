import { describe, expect, it } from 'vitest';
import { goes, pool, reasons, run, SMALL } from '../../test/factories/disruption.ts';
import { boundPod, nodePool, runningNode, unschedulablePod, world } from '../../test/factories/index.ts';
import { requesting } from '../../test/factories/pod.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import type { StateNode } from '../scheduling/types.ts';

describe('Emptiness', () => {
  const three = (p: NodePool) => ['a', 'b', 'c'].map((name) => runningNode({ pool: p, name }));

  it('7.6.2: deletes all nodes without pods to move in one command', () => {
    const p = pool();
    const nodes = three(p);
    const daemon = boundPod(nodes[0] as StateNode, SMALL, {
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd' }] },
    });
    const busy = boundPod(nodes[2] as StateNode, SMALL);
    const result = run(world({ pools: [p], nodes, pods: [daemon, busy] }), 'Emptiness');
    expect(goes(result)).toEqual([['a', 'b']]);
    expect(result.commands[0]).toMatchObject({ decision: 'delete', reason: 'Empty', replacements: [] });
    expect(result.commands[0]?.savings).toBeCloseTo(2 * 0.2 + 2 * 0.001 * 17.179869184, 9);
  });

  it('7.6.2: takes no more than the budget, and says which node had to wait', () => {
    const p = pool({ budgets: [{ nodes: '2' }] });
    const nodes = three(p);
    const result = run(world({ pools: [p], nodes }), 'Emptiness');
    expect(goes(result)).toEqual([['a', 'b']]);
    expect(result.constrainedByBudgets).toBe(true);
    expect(reasons(result, nodes[2] as StateNode)).toEqual(['Budget']);
  });

  it('7.2.7: counts pods whose eviction costs nothing as nothing to move', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n' });
    const worthless = boundPod(n, SMALL, { spec: { priority: -2147483648 } });
    expect(goes(run(world({ pools: [p], nodes: [n], pods: [worthless] }), 'Emptiness'))).toEqual([['n']]);
  });

  it('7.6.1: leaves nodes that hold room for a buffer, are not due, or whose pool never consolidates', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n' });
    const w = world({ pools: [p], nodes: [n] });
    expect(reasons(run(w, 'Emptiness', { bufferNodes: new Set(['n']) }), n)).toEqual(['HostsBufferPods']);
    const young = runningNode({ pool: p, name: 'young', conditions: [] });
    expect(reasons(run(world({ pools: [p], nodes: [young] }), 'Emptiness'), young)).toEqual(['ConsolidateAfter']);
    const never = world({ pools: [pool({ consolidateAfter: 'Never' })], nodes: [n] });
    expect(reasons(run(never, 'Emptiness'), n)).toEqual(['ConsolidationDisabled']);
  });

  it('7.6.1: applies to pools that consolidate only when empty', () => {
    const p = pool({ consolidationPolicy: 'WhenEmpty' });
    expect(goes(run(world({ pools: [p], nodes: [runningNode({ pool: p, name: 'n' })] }), 'Emptiness'))).toEqual([
      ['n'],
    ]);
  });
});

describe('consolidation', () => {
  it('7.11.1: deletes a node whose pods fit elsewhere, and says where', () => {
    const p = pool();
    const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
    const pods = [
      boundPod(a, SMALL, { metadata: { name: 'moves' } }),
      ...[1, 2].map(() => boundPod(b, { cpu: '2', memory: '1Gi' })),
    ];
    const result = run(world({ pools: [p], nodes: [a, b], pods }), 'SingleNodeConsolidation');
    expect(goes(result)).toEqual([['a']]);
    expect(result.commands[0]?.decision).toBe('delete');
    expect(result.commands[0]?.placements.get('b')).toEqual(['default/moves']);
  });

  it('7.11.4: replaces a node by a strictly cheaper one, pinned to spot when spot is possible', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n', instanceType: 'm-16x-amd64-linux' });
    const result = run(world({ pools: [p], nodes: [n], pods: [boundPod(n, SMALL)] }), 'SingleNodeConsolidation');
    expect(goes(result)).toEqual([['n']]);
    const [replacement] = result.commands[0]?.replacements ?? [];
    expect(replacement?.instanceTypes[0]?.name).toBe('c-2x-amd64-linux');
    expect(replacement?.instanceTypes.map((t) => t.name)).not.toContain('m-256x-amd64-linux');
    expect(String(replacement?.requirements.get('karpenter.sh/capacity-type'))).toBe(
      'karpenter.sh/capacity-type In [spot]',
    );
  });

  it('7.11.2: leaves a node alone when nothing cheaper holds its pods', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n', instanceType: 'c-1x-amd64-linux', capacityType: 'spot' });
    const w = world({ pools: [p], nodes: [n], pods: [boundPod(n, { cpu: '900m', memory: '1Gi' })] });
    const result = run(w, 'SingleNodeConsolidation', { spotToSpotConsolidation: true });
    expect(result.commands).toEqual([]);
    expect(reasons(result, n)).toEqual(['NotCheaper']);
  });

  it('7.11.5: moves spot to spot only behind its gate and only to fifteen cheaper types or more', () => {
    const p = pool();
    const big = runningNode({ pool: p, name: 'big', instanceType: 'm-256x-amd64-linux', capacityType: 'spot' });
    const w = world({ pools: [p], nodes: [big], pods: [boundPod(big, SMALL)] });
    expect(reasons(run(w, 'SingleNodeConsolidation'), big)).toEqual(['SpotToSpotDisabled']);
    const gated = run(w, 'SingleNodeConsolidation', { spotToSpotConsolidation: true });
    expect(gated.commands[0]?.replacements[0]?.instanceTypes).toHaveLength(15);
    const small = runningNode({ pool: p, name: 'small', instanceType: 'c-4x-amd64-linux', capacityType: 'spot' });
    const few = world({ pools: [p], nodes: [small], pods: [boundPod(small, SMALL)] });
    const refused = run(few, 'SingleNodeConsolidation', { spotToSpotConsolidation: true });
    expect(reasons(refused, small)).toEqual(['SpotToSpotTooFewTypes']);
  });

  it('7.4.3: does not count an unrelated pending pod against a node', () => {
    const p = pool();
    const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
    const impossible = unschedulablePod({ spec: requesting({ cpu: '5000' }) });
    const w = world({ pools: [p], nodes: [a, b], pods: [boundPod(a, SMALL), boundPod(b, SMALL), impossible] });
    expect(goes(run(w, 'SingleNodeConsolidation'))).toEqual([['a']]);
  });

  it('7.4.2: does not move pods to a node that is still starting', () => {
    const p = pool();
    const a = runningNode({ pool: p, name: 'a', instanceType: 'c-1x-amd64-linux', capacityType: 'spot' });
    const starting = runningNode({ pool: p, name: 'starting' });
    const { 'karpenter.sh/initialized': _, ...labels } = starting.node?.metadata.labels ?? {};
    const node = starting.node && { ...starting.node, metadata: { ...starting.node.metadata, labels } };
    const w = world({
      pools: [p],
      nodes: [a, { ...starting, ...(node ? { node } : {}) }],
      pods: [boundPod(a, { cpu: '900m' }, { metadata: { name: 'p' } })],
    });
    const result = run(w, 'SingleNodeConsolidation');
    expect(result.blocked.get('a')?.at(-1)?.message).toBe(
      'Not all pods would schedule, default/p => would schedule against uninitialized nodeclaim/starting, node/starting ',
    );
  });

  it('7.11.1: refuses to make two nodes of one', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n', instanceType: 'm-16x-amd64-linux' });
    const apart = (name: string): Pod =>
      boundPod(n, SMALL, {
        metadata: { name, labels: { app: 'apart' } },
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'apart' } } },
              ],
            },
          },
        },
      });
    const result = run(world({ pools: [p], nodes: [n], pods: [apart('x'), apart('y')] }), 'SingleNodeConsolidation');
    expect(result.blocked.get('n')?.at(-1)?.message).toBe("Can't remove without creating 2 candidates");
  });

  it('7.9.2: of several nodes needs two at least, and takes as many as it can', () => {
    const p = pool();
    const nodes = ['a', 'b', 'c', 'd'].map((name) => runningNode({ pool: p, name, instanceType: 'm-16x-amd64-linux' }));
    const pods = nodes.map((n) => boundPod(n, SMALL));
    const result = run(world({ pools: [p], nodes, pods }), 'MultiNodeConsolidation');
    expect(goes(result)).toEqual([['a', 'b', 'c', 'd']]);
    expect(result.commands[0]?.replacements).toHaveLength(1);
    const alone = world({ pools: [p], nodes: nodes.slice(0, 1), pods: pods.slice(0, 1) });
    expect(run(alone, 'MultiNodeConsolidation').commands).toEqual([]);
  });

  it('7.9.3: of several nodes does not buy a type it removes unless it is cheaper than each of them', () => {
    const p = pool();
    const nodes = ['a', 'b'].map((name) =>
      runningNode({ pool: p, name, instanceType: 'c-1x-amd64-linux', capacityType: 'spot' }),
    );
    const pods = nodes.map((n) =>
      boundPod(n, { cpu: '400m', memory: '256Mi' }, { metadata: { labels: { app: 'x' } } }),
    );
    const full = nodes.map((n) => boundPod(n, { cpu: '500m', memory: '256Mi' }));
    const w = world({ pools: [p], nodes, pods: [...pods, ...full] });
    expect(run(w, 'MultiNodeConsolidation', { spotToSpotConsolidation: true }).commands).toEqual([]);
  });

  it('7.12.2: lets a Balanced pool refuse what saves too little for what it disrupts', () => {
    const many = (policy: 'Balanced' | 'WhenEmptyOrUnderutilized') => {
      const p = pool({ consolidationPolicy: policy });
      const dear = ['x', 'y', 'z'].map((name) =>
        runningNode({
          pool: p,
          name,
          instanceType: 'm-64x-amd64-linux',
          annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
        }),
      );
      const n = runningNode({ pool: p, name: 'n', instanceType: 'c-1x-amd64-linux' });
      const pods = Array.from({ length: 8 }, () => boundPod(n, { cpu: '10m', memory: '10Mi' }));
      return run(world({ pools: [p], nodes: [...dear, n], pods }), 'SingleNodeConsolidation');
    };
    expect(goes(many('WhenEmptyOrUnderutilized'))).toEqual([['n']]);
    const balanced = many('Balanced');
    expect(balanced.commands).toEqual([]);
    expect(balanced.blocked.get('n')?.at(-1)?.code).toBe('BalancedScore');
    expect(balanced.moves).toEqual([]);
  });
});

describe('a move', () => {
  const two = (policy: 'Balanced' | 'WhenEmptyOrUnderutilized') => {
    const p = pool({ consolidationPolicy: policy });
    const nodes = ['a', 'b'].map((name) => runningNode({ pool: p, name, instanceType: 'm-16x-amd64-linux' }));
    return world({ pools: [p], nodes, pods: nodes.map((n) => boundPod(n, SMALL)) });
  };

  it('7.12.5: of one node has the score of its pool, if that is Balanced', () => {
    expect(run(two('WhenEmptyOrUnderutilized'), 'SingleNodeConsolidation').moves).toEqual([
      { nodePool: 'default', policy: 'WhenEmptyOrUnderutilized', approved: true },
    ]);
    // Half of what the pool costs for half of what it would disrupt.
    expect(run(two('Balanced'), 'SingleNodeConsolidation').moves).toEqual([
      {
        nodePool: 'default',
        policy: 'Balanced',
        approved: true,
        score: { score: 1, savingsFraction: 0.5, disruptionFraction: 0.5, approved: true },
      },
    ]);
  });

  it('7.12.3: of several nodes is weighed as a whole', () => {
    const [move] = run(two('Balanced'), 'MultiNodeConsolidation').moves;
    expect(move).toMatchObject({ approved: true, score: { disruptionFraction: 1 } });
    expect(move?.score?.savingsFraction).toBeGreaterThan(0.9);
  });
});

describe('SingleNodeConsolidation', () => {
  it('7.10.2: goes on at the next pass with the nodes that it had no time for, however many pools there are', () => {
    const p = pool();
    const other = nodePool({ metadata: { name: 'other' } });
    const on = (name: string, of: NodePool) =>
      runningNode({ pool: of, name, instanceType: 'c-1x-amd64-linux', capacityType: 'spot' });
    const nodes = [on('a', p), on('b', p), on('c', p), on('d', other)];
    const pods = nodes.map((n) => boundPod(n, { cpu: '900m', memory: '1Gi' }));
    const w = world({ pools: [p, other], nodes, pods });
    let now = 0;
    const elapsed = (): number => {
      now += 70_000;
      return now;
    };
    const pass = (unseen: readonly string[]) =>
      run(w, 'SingleNodeConsolidation', { elapsed, unseenNodes: new Set(unseen) });
    const first = pass([]);
    expect([first.timedOut, first.unseenNodes]).toEqual([true, ['b', 'c']]);
    const second = pass(first.unseenNodes);
    expect([second.timedOut, second.unseenNodes]).toEqual([true, ['a', 'd']]);
  });
});
