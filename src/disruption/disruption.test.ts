import { describe, expect, it } from 'vitest';
import {
  boundPod,
  disruptOptions,
  NOW,
  nodePool,
  runningNode,
  unschedulablePod,
  world,
} from '../../test/factories/index.ts';
import { requesting } from '../../test/factories/pod.ts';
import type { NodePool, NodePoolDisruption } from '../apis/node-pool.ts';
import type { Condition, Pod, PodDisruptionBudget } from '../kube/objects.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import { Disruption } from './disruption.ts';
import type { DisruptOptions, MethodName, MethodResult } from './types.ts';

const SMALL = { cpu: '1', memory: '1Gi' };

function pool(disruption: Partial<NodePoolDisruption> = {}, spec: Partial<NodePool['spec']> = {}): NodePool {
  return nodePool({
    metadata: { name: 'default' },
    spec: {
      ...spec,
      disruption,
      template: {
        spec: {
          requirements: [
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          ],
        },
      },
    },
  });
}

function run(w: World, method: MethodName, options: Partial<DisruptOptions> = {}): MethodResult {
  return new Disruption(w, disruptOptions(options)).run(method);
}

/** Candidate names of each command. */
const goes = (result: MethodResult): string[][] =>
  result.commands.map((command) => command.candidates.map(stateNodeName).sort());

const reasons = (result: MethodResult, node: StateNode): string[] =>
  (result.blocked.get(stateNodeName(node)) ?? []).map((blocker) => blocker.code);

function pdb(name: string, labels: Record<string, string>, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: labels } },
    status: { disruptionsAllowed },
  };
}

describe('candidates', () => {
  const p = pool();
  const n = runningNode({ pool: p, name: 'n' });
  const web = boundPod(n, SMALL, { metadata: { name: 'web', labels: { app: 'web' } } });
  const single = (
    nodes: StateNode[],
    pods: Pod[],
    more: Pick<Partial<World>, 'podDisruptionBudgets'> = {},
    options: Partial<DisruptOptions> = {},
  ) => run(world({ pools: [p], nodes, pods, ...more }), 'SingleNodeConsolidation', options);

  it('leave out nodes that Karpenter did not make, that have not started, or that are going already', () => {
    const { nodeClaim: _, ...unmanaged } = runningNode({ pool: p, name: 'unmanaged' });
    const { node: __, ...noNode } = runningNode({ pool: p, name: 'no-node' });
    const marked = runningNode({ pool: p, name: 'marked', state: { markedForDeletion: true } });
    const nominated = runningNode({ pool: p, name: 'nominated', state: { nominatedUntil: NOW + 1 } });
    const result = single([unmanaged, noNode, marked, nominated], []);
    expect(result.candidates).toEqual([]);
    expect(reasons(result, unmanaged)).toEqual(['NoNodeClaim']);
    expect(reasons(result, noNode)).toEqual(['NoNode']);
    expect(reasons(result, marked)).toEqual(['Deleting']);
    expect(reasons(result, nominated)).toEqual(['Nominated']);
  });

  it('leave out nodes that a command is working on', () => {
    expect(reasons(single([n], [web], {}, { queued: new Set(['n']) }), n)).toEqual(['InQueue']);
  });

  it('respect do-not-disrupt on the node, only when it is exactly true', () => {
    const key = 'karpenter.sh/do-not-disrupt';
    const kept = runningNode({ pool: p, name: 'kept', annotations: { [key]: 'true' } });
    const odd = runningNode({ pool: p, name: 'odd', annotations: { [key]: '1h' } });
    const result = single([kept, odd], [boundPod(kept, SMALL), boundPod(odd, SMALL)]);
    expect(reasons(result, kept)).toEqual(['DoNotDisruptNode']);
    expect(result.candidates).toEqual(['odd']);
  });

  it('respect do-not-disrupt on a pod for as long as it says', () => {
    const protect = (value: string, startTime: string): Pod =>
      boundPod(n, SMALL, {
        metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } },
        status: { startTime },
      });
    const start = new Date(NOW - 60_000).toISOString();
    expect(reasons(single([n], [protect('true', start)]), n)).toContain('DoNotDisruptPod');
    expect(reasons(single([n], [protect('2m', start)]), n)).toContain('DoNotDisruptPod');
    expect(single([n], [protect('1m', start)]).candidates).toEqual(['n']);
    expect(single([n], [protect('soon', start)]).candidates).toEqual(['n']);
  });

  it('name the budget, and the pod, that prevents eviction', () => {
    const result = single([n], [web], { podDisruptionBudgets: [pdb('strict', { app: 'web' }, 0)] });
    expect(result.blocked.get('n')).toEqual([
      {
        code: 'PodDisruptionBudget',
        message: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/strict])',
        objects: ['Pod/default/web', 'PodDisruptionBudget/default/strict'],
        event: 'DisruptionBlocked',
      },
    ]);
    expect(single([n], [web], { podDisruptionBudgets: [pdb('lax', { app: 'web' }, 1)] }).candidates).toEqual(['n']);
  });

  it('are ruled out by two budgets on one pod even if both allow it', () => {
    const budgets = [pdb('x', { app: 'web' }, 1), pdb('y', { app: 'web' }, 1)];
    const result = single([n], [web], { podDisruptionBudgets: budgets });
    expect(reasons(result, n)).toEqual(['MultiplePodDisruptionBudgets']);
  });

  it('of drift ignore what pods say when a termination grace period bounds the wait', () => {
    const bounded = nodePool({
      metadata: { name: 'default' },
      spec: { template: { spec: { terminationGracePeriod: '1h' } } },
    });
    const drifted = runningNode({ pool: bounded, name: 'drifted', conditions: ['Drifted', 'Consolidatable'] });
    const w = world({
      pools: [bounded],
      nodes: [drifted],
      pods: [boundPod(drifted, SMALL, { metadata: { labels: { app: 'web' } } })],
      podDisruptionBudgets: [pdb('strict', { app: 'web' }, 0)],
    });
    expect(run(w, 'Drift').candidates).toEqual(['drifted']);
    expect(run(w, 'SingleNodeConsolidation').candidates).toEqual([]);
  });
});

describe('Emptiness', () => {
  const three = (p: NodePool) => ['a', 'b', 'c'].map((name) => runningNode({ pool: p, name }));

  it('deletes all nodes without pods to move in one command', () => {
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

  it('takes no more than the budget, and says which node had to wait', () => {
    const p = pool({ budgets: [{ nodes: '2' }] });
    const nodes = three(p);
    const result = run(world({ pools: [p], nodes }), 'Emptiness');
    expect(goes(result)).toEqual([['a', 'b']]);
    expect(result.constrainedByBudgets).toBe(true);
    expect(reasons(result, nodes[2] as StateNode)).toEqual(['Budget']);
  });

  it('counts pods whose eviction costs nothing as nothing to move', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n' });
    const worthless = boundPod(n, SMALL, { spec: { priority: -2147483648 } });
    expect(goes(run(world({ pools: [p], nodes: [n], pods: [worthless] }), 'Emptiness'))).toEqual([['n']]);
  });

  it('leaves nodes that hold room for a buffer, are not due, or whose pool never consolidates', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n' });
    const w = world({ pools: [p], nodes: [n] });
    expect(reasons(run(w, 'Emptiness', { bufferNodes: new Set(['n']) }), n)).toEqual(['HostsBufferPods']);
    const young = runningNode({ pool: p, name: 'young', conditions: [] });
    expect(reasons(run(world({ pools: [p], nodes: [young] }), 'Emptiness'), young)).toEqual(['ConsolidateAfter']);
    const never = world({ pools: [pool({ consolidateAfter: 'Never' })], nodes: [n] });
    expect(reasons(run(never, 'Emptiness'), n)).toEqual(['ConsolidationDisabled']);
  });

  it('applies to pools that consolidate only when empty', () => {
    const p = pool({ consolidationPolicy: 'WhenEmpty' });
    expect(goes(run(world({ pools: [p], nodes: [runningNode({ pool: p, name: 'n' })] }), 'Emptiness'))).toEqual([
      ['n'],
    ]);
  });
});

describe('consolidation', () => {
  it('deletes a node whose pods fit elsewhere, and says where', () => {
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

  it('replaces a node by a strictly cheaper one, pinned to spot when spot is possible', () => {
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

  it('leaves a node alone when nothing cheaper holds its pods', () => {
    const p = pool();
    const n = runningNode({ pool: p, name: 'n', instanceType: 'c-1x-amd64-linux', capacityType: 'spot' });
    const w = world({ pools: [p], nodes: [n], pods: [boundPod(n, { cpu: '900m', memory: '1Gi' })] });
    const result = run(w, 'SingleNodeConsolidation', { spotToSpotConsolidation: true });
    expect(result.commands).toEqual([]);
    expect(reasons(result, n)).toEqual(['NotCheaper']);
  });

  it('moves spot to spot only behind its gate and only to fifteen cheaper types or more', () => {
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

  it('does not count an unrelated pending pod against a node', () => {
    const p = pool();
    const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
    const impossible = unschedulablePod({ spec: requesting({ cpu: '5000' }) });
    const w = world({ pools: [p], nodes: [a, b], pods: [boundPod(a, SMALL), boundPod(b, SMALL), impossible] });
    expect(goes(run(w, 'SingleNodeConsolidation'))).toEqual([['a']]);
  });

  it('does not move pods to a node that is still starting', () => {
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

  it('refuses to make two nodes of one', () => {
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

  it('of several nodes needs two at least, and takes as many as it can', () => {
    const p = pool();
    const nodes = ['a', 'b', 'c', 'd'].map((name) => runningNode({ pool: p, name, instanceType: 'm-16x-amd64-linux' }));
    const pods = nodes.map((n) => boundPod(n, SMALL));
    const result = run(world({ pools: [p], nodes, pods }), 'MultiNodeConsolidation');
    expect(goes(result)).toEqual([['a', 'b', 'c', 'd']]);
    expect(result.commands[0]?.replacements).toHaveLength(1);
    const alone = world({ pools: [p], nodes: nodes.slice(0, 1), pods: pods.slice(0, 1) });
    expect(run(alone, 'MultiNodeConsolidation').commands).toEqual([]);
  });

  it('of several nodes does not buy a type it removes unless it is cheaper than each of them', () => {
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

  it('lets a Balanced pool refuse what saves too little for what it disrupts', () => {
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
      const totals = new Map([['default', 20]]);
      return run(world({ pools: [p], nodes: [...dear, n], pods }), 'SingleNodeConsolidation', { poolCosts: totals });
    };
    expect(goes(many('WhenEmptyOrUnderutilized'))).toEqual([['n']]);
    const balanced = many('Balanced');
    expect(balanced.commands).toEqual([]);
    expect(balanced.blocked.get('n')?.at(-1)?.code).toBe('BalancedScore');
  });
});

describe('SingleNodeConsolidation', () => {
  it('stops at its time limit and remembers which pools it did not reach', () => {
    const other = nodePool({ metadata: { name: 'other' } });
    const p = pool();
    const nodes = [
      runningNode({ pool: p, name: 'a', instanceType: 'c-1x-amd64-linux', capacityType: 'spot' }),
      runningNode({ pool: other, name: 'b', instanceType: 'c-1x-amd64-linux', capacityType: 'spot' }),
    ];
    const pods = nodes.map((n) => boundPod(n, { cpu: '900m', memory: '1Gi' }));
    let now = 0;
    const elapsed = (): number => {
      now += 100_000;
      return now;
    };
    const w = world({ pools: [p, other], nodes, pods });
    const first = run(w, 'SingleNodeConsolidation', { elapsed });
    expect(first.timedOut).toBe(true);
    expect(first.unseenPools).toEqual(['other']);
    const second = run(w, 'SingleNodeConsolidation', { elapsed, unseenPools: new Set(first.unseenPools) });
    expect(second.unseenPools).toEqual(['default']);
  });
});

describe('Drift', () => {
  const since = (lastTransitionTime: string): Condition => ({ type: 'Drifted', status: 'True', lastTransitionTime });

  it('replaces the longest drifted node first, but those with nothing to move before all', () => {
    const p = pool();
    const old = runningNode({ pool: p, name: 'old', conditions: [since('2026-02-01T00:00:00Z')] });
    const older = runningNode({ pool: p, name: 'older', conditions: [since('2026-01-15T00:00:00Z')] });
    const pods = [boundPod(old, { cpu: '7' }), boundPod(older, { cpu: '7' })];
    const busy = run(world({ pools: [p], nodes: [old, older], pods }), 'Drift');
    expect(goes(busy)).toEqual([['older']]);
    expect(busy.commands[0]).toMatchObject({ decision: 'replace', reason: 'Drifted' });
    const empty = runningNode({ pool: p, name: 'empty', conditions: [since('2026-03-01T00:00:00Z')] });
    expect(goes(run(world({ pools: [p], nodes: [old, older, empty], pods }), 'Drift'))).toEqual([['empty']]);
  });

  it('passes over a node whose pods have no other place, and takes the next', () => {
    const p = pool();
    const stuck = runningNode({ pool: p, name: 'stuck', conditions: [since('2026-01-15T00:00:00Z')] });
    const next = runningNode({ pool: p, name: 'next', conditions: [since('2026-02-01T00:00:00Z')] });
    const pods = [boundPod(stuck, { cpu: '5000' }), boundPod(next, { cpu: '7' })];
    const result = run(world({ pools: [p], nodes: [stuck, next], pods }), 'Drift');
    expect(goes(result)).toEqual([['next']]);
    expect(reasons(result, stuck)).toEqual(['PodsUnschedulable']);
  });

  it('does not care what the replacement costs', () => {
    const p = nodePool({
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m-256x-amd64-linux'] }],
          },
        },
      },
    });
    const n = runningNode({ pool: p, name: 'n', conditions: [since('2026-02-01T00:00:00Z')] });
    const result = run(world({ pools: [p], nodes: [n], pods: [boundPod(n, SMALL)] }), 'Drift');
    expect(result.commands[0]?.savings).toBeLessThan(0);
  });
});

describe('StaticDrift', () => {
  const drifted = ['Drifted', 'Consolidatable'];

  it('replaces drifted nodes one for one from the template, within the node limit', () => {
    const p = pool({}, { replicas: 2, limits: { nodes: '3' } });
    const nodes = ['a', 'b'].map((name) => runningNode({ pool: p, name, conditions: drifted }));
    const result = run(world({ pools: [p], nodes }), 'StaticDrift');
    expect(goes(result)).toEqual([['a']]);
    expect(result.commands[0]?.replacements[0]?.instanceTypes).toEqual([]);
    expect(run(world({ pools: [p], nodes }), 'Drift').candidates).toEqual([]);
    expect(run(world({ pools: [p], nodes }), 'Emptiness').candidates).toEqual([]);
  });

  it('waits while the pool is scaling down', () => {
    const p = pool({}, { replicas: 1 });
    const nodes = ['a', 'b'].map((name) => runningNode({ pool: p, name, conditions: drifted }));
    expect(run(world({ pools: [p], nodes }), 'StaticDrift').commands).toEqual([]);
  });
});

describe('validation after the wait', () => {
  const p = pool();
  const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
  const pods = [boundPod(a, SMALL), boundPod(b, SMALL)];
  const before = world({ pools: [p], nodes: [a, b], pods });
  const command = run(before, 'SingleNodeConsolidation').commands[0];
  const validate = (later: World) => {
    if (!command) throw new Error('there is nothing to validate');
    return new Disruption(later, disruptOptions()).validate(command);
  };

  it('passes what still holds', () => {
    expect(validate(before)).toHaveProperty('command');
  });

  it('fails with churn when the node is no candidate any more', () => {
    const protect = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    const later = world({ pools: [p], nodes: [a, b], pods: [...pods, boundPod(a, SMALL, protect)] });
    expect(validate(later)).toMatchObject({ failure: 'churn' });
  });

  it('fails for the budget when another disruption has used it', () => {
    const tight = pool({ budgets: [{ nodes: '0' }] });
    expect(validate(world({ pools: [tight], nodes: [a, b], pods }))).toMatchObject({ failure: 'budget' });
  });

  it('fails when the pods no longer fit', () => {
    const full = [...pods, boundPod(b, { cpu: '7', memory: '1Gi' })];
    expect(validate(world({ pools: [p], nodes: [a, b], pods: full }))).toMatchObject({ failure: 'scheduling' });
  });

  it('of emptiness keeps the nodes that are still empty', () => {
    const none = world({ pools: [p], nodes: [a, b] });
    const both = run(none, 'Emptiness').commands[0];
    if (!both) throw new Error('two empty nodes were left alone');
    const later = new Disruption(world({ pools: [p], nodes: [a, b], pods: [boundPod(a, SMALL)] }), disruptOptions());
    const validated = later.validate(both);
    expect('command' in validated && validated.command.candidates.map(stateNodeName)).toEqual(['b']);
  });
});
