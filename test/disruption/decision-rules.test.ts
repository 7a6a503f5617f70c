/** Rules of consolidation and drift on one frozen cluster, in the order of karpenter-core.md 7.2 to 7.11. */
import { describe, expect, test } from 'vitest';
import type { NodePool, NodePoolDisruption } from '../../src/apis/node-pool.ts';
import type { StateNode } from '../../src/scheduling/index.ts';
import { pdb, reasons } from '../factories/disruption.ts';
import { NOW, nodePool, type Overrides, unschedulablePod } from '../factories/index.ts';
import { instanceType } from '../scheduling/schedule.ts';
import { bought, commandsOf, disruptionOf, fleet, names, nodeOf, on, requirementsOf } from './reported-fleets.ts';

const SPOT = 'spot';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const pool = nodePool({ metadata: { name: 'p' } });
const type = (name: string, cpu: number, price: number, more: Parameters<typeof instanceType>[2] = []) =>
  instanceType(name, { cpu: `${cpu}`, memory: `${cpu * 4}Gi` }, [{ price }, ...more]);
const small = type('small', 4, 1);
const large = type('large', 16, 4);
const cpus = (cpu: number) => ({ cpu: `${cpu}`, memory: '1Gi' });
const withDisruption = (disruption: NodePoolDisruption, spec: Overrides<NodePool['spec']> = {}): NodePool =>
  nodePool({ metadata: { name: 'p' }, spec: { ...spec, disruption } });

describe('candidates', () => {
  const messages = (node: StateNode, pools: readonly NodePool[] = [pool], types = [small]) => {
    const w = fleet(types, pools, { nodes: [node], pods: [on(node, 'x', cpus(1))] });
    return disruptionOf(w)
      .run('SingleNodeConsolidation')
      .blocked.get('n')
      ?.map(({ message }) => message);
  };
  const labelled = (labels: Record<string, string>, without: string): StateNode => {
    const made = nodeOf('n', { pool, type: small, labels });
    const drop = ({ [without]: _, ...rest }: Record<string, string>) => rest;
    const { node, nodeClaim } = made;
    if (!node || !nodeClaim) throw new Error('both are there');
    return { ...made, node: { ...node, metadata: { ...node.metadata, labels: drop({ ...node.metadata.labels }) } } };
  };

  test('7.2.1: need a pool that is there and sells something', () => {
    const gone = nodeOf('n', { pool, type: small, labels: { 'karpenter.sh/nodepool': 'gone' } });
    expect(messages(gone)).toEqual(['NodePool not found (NodePool=gone)']);
    expect(messages(nodeOf('n', { pool, type: small }), [pool], [])).toEqual(['NodePool not found (NodePool=p)']);
    expect(messages(labelled({}, 'karpenter.sh/nodepool'))).toEqual([
      "Node doesn't have required label (label=karpenter.sh/nodepool)",
    ]);
  });

  test('7.3.1: of consolidation need a known type, zone and capacity type', () => {
    expect(messages(nodeOf('n', { pool, type: large }))).toEqual(['Instance Type "large" not found']);
    expect(messages(labelled({}, CAPACITY_TYPE))).toEqual([`Node does not have label "${CAPACITY_TYPE}"`]);
    expect(messages(labelled({}, 'topology.kubernetes.io/zone'))).toEqual([
      'Node does not have label "topology.kubernetes.io/zone"',
    ]);
  });

  test('7.2.3: may be empty or drifted without a known type', () => {
    const n = nodeOf('n', { pool, type: large, conditions: ['Consolidatable', 'Drifted'] });
    const w = fleet([small], [pool], { nodes: [n] });
    expect(names(commandsOf(w, 'Emptiness')[0])).toEqual(['n']);
    expect(names(commandsOf(w, 'Drift')[0])).toEqual(['n']);
  });

  test('7.2.2: are kept by protected daemons and mirror pods, not by pods that have ended or are on their way out', () => {
    const n = nodeOf('n', { pool, type: small });
    const keep = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
    const owner = (apiVersion: string, kind: string) => [{ apiVersion, kind, name: 'o', uid: 'o', controller: true }];
    const by = (rest: Parameters<typeof on>[4]): string[] => {
      const w = fleet([small], [pool], { nodes: [n], pods: [on(n, 'x', cpus(1)), on(n, 'kept', cpus(1), {}, rest)] });
      return reasons(disruptionOf(w).run('SingleNodeConsolidation'), n);
    };
    expect(by({ metadata: { ...keep, ownerReferences: owner('apps/v1', 'DaemonSet') } })).toEqual(['DoNotDisruptPod']);
    expect(by({ metadata: { ...keep, ownerReferences: owner('v1', 'Node') } })).toEqual(['DoNotDisruptPod']);
    expect(by({ metadata: keep, status: { phase: 'Succeeded' } })).not.toContain('DoNotDisruptPod');
    expect(by({ metadata: { ...keep, deletionTimestamp: '2026-03-04T11:59:59Z' } })).not.toContain('DoNotDisruptPod');
  });

  test('6.4.1: are not kept by a closed PDB whose pod is unready, where that is allowed, nor by pods that stay anyway', () => {
    const n = nodeOf('n', { pool, type: small });
    const budget = pdb('closed', { app: 'a' }, 0);
    const lenient = { ...budget, spec: { ...budget.spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' } as const };
    const unready = { status: { conditions: [{ type: 'Ready', status: 'False' }] } } as const;
    const blockers = (podDisruptionBudgets: (typeof budget)[], pod: ReturnType<typeof on>): string[] =>
      reasons(
        disruptionOf(fleet([small], [pool], { nodes: [n], pods: [pod], podDisruptionBudgets })).run('Emptiness'),
        n,
      );
    expect(blockers([budget], on(n, 'x', cpus(1), {}, unready))).toEqual(['PodDisruptionBudget']);
    expect(blockers([lenient], on(n, 'x', cpus(1)))).toEqual(['PodDisruptionBudget']);
    expect(blockers([lenient], on(n, 'x', cpus(1), {}, unready))).toEqual(['NotEmpty']);
    const tolerations = [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] as const;
    expect(blockers([budget], on(n, 'x', cpus(1), { tolerations }))).toEqual(['NotEmpty']);
  });

  test('7.2.6: are judged by what a node costs for what it disrupts, whatever its age', () => {
    const calm = nodeOf('calm', { pool, type: small });
    const busy = nodeOf('busy', { pool, type: small });
    const w = fleet([small, large], [pool], {
      nodes: [busy, calm],
      pods: [on(busy, 'a', cpus(0.5)), on(busy, 'b', cpus(0.5)), on(calm, 'c', cpus(0.5))],
    });
    expect(names(commandsOf(w, 'SingleNodeConsolidation')[0])).toEqual(['calm']);
  });
});

describe('the simulation', () => {
  const young = (name: string): StateNode => {
    const made = nodeOf(name, { pool, type: small, conditions: [] });
    const lastPodEventTime = new Date(NOW - 1000).toISOString();
    return {
      ...made,
      ...(made.nodeClaim
        ? { nodeClaim: { ...made.nodeClaim, status: { ...made.nodeClaim.status, lastPodEventTime } } }
        : {}),
    };
  };

  test('7.4.1: moves nothing to a node inside consolidateAfter, but for drift', () => {
    const patient = withDisruption({ consolidateAfter: '1m' });
    const n = nodeOf('n', { pool, type: small, conditions: ['Consolidatable', 'Drifted'] });
    const w = fleet([small], [patient], { nodes: [n, young('young')], pods: [on(n, 'x', cpus(1))] });
    expect(commandsOf(w, 'SingleNodeConsolidation')).toEqual([]);
    expect(commandsOf(w, 'Drift')[0]?.decision).toBe('delete');
  });

  test('7.4.2: lets pods of nodes that are going anyway have a node that is still starting', () => {
    const starting = nodeOf('starting', { pool, type: large });
    const { 'karpenter.sh/initialized': _, ...labels } = starting.node?.metadata.labels ?? {};
    const node = starting.node && { ...starting.node, metadata: { ...starting.node.metadata, labels } };
    const going = nodeOf('going', { pool, type: small, state: { markedForDeletion: true } });
    const [a, b] = [nodeOf('a', { pool, type: small }), nodeOf('b', { pool, type: small })];
    const w = fleet([small], [pool], {
      nodes: [a, b, going, { ...starting, ...(node ? { node } : {}) }],
      pods: [on(a, 'x', cpus(0.5)), on(b, 'y', cpus(0.5)), on(going, 'z', cpus(3.5))],
    });
    const [command] = commandsOf(w, 'SingleNodeConsolidation');
    expect(command?.placements.get('starting')).toEqual(['default/z']);
  });

  test('6.4.1: counts the pods of a PDB that never lets them go as staying', () => {
    const bounded = withDisruption({});
    const n = nodeOf('n', { pool: bounded, type: small, conditions: ['Drifted'] });
    const nodeClaim = n.nodeClaim && { ...n.nodeClaim, spec: { ...n.nodeClaim.spec, terminationGracePeriod: '1h' } };
    const never = {
      ...pdb('never', { app: 'a' }, 0),
      spec: { selector: { matchLabels: { app: 'a' } }, maxUnavailable: 0 },
    };
    const w = fleet([small], [bounded], {
      nodes: [{ ...n, ...(nodeClaim ? { nodeClaim } : {}) }],
      pods: [on(n, 'x', cpus(3))],
      podDisruptionBudgets: [never],
    });
    expect(commandsOf(w, 'Drift')[0]).toMatchObject({ decision: 'delete', replacements: [] });
  });

  test('7.13.4: nominates no node for the room of a buffer', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => nodeOf(name, { pool, type: small })) as [
      StateNode,
      StateNode,
      StateNode,
    ];
    const annotations = { 'karpenter.sh/capacity-buffer-fake-pod': 'true' };
    const room = unschedulablePod({ metadata: { name: 'room', annotations }, spec: on(a, '', cpus(3)).spec });
    const { nodeName: _, ...spec } = room.spec;
    const w = fleet([small], [pool], {
      nodes: [a, b, c],
      pods: [on(a, 'x', cpus(1)), on(b, 'y', cpus(1)), { ...room, spec }],
    });
    expect([...(commandsOf(w, 'SingleNodeConsolidation')[0]?.placements ?? [])]).toEqual([['b', ['default/x']]]);
  });
});

describe('a replacement', () => {
  const n = (capacityType: string, of = large) => nodeOf('n', { pool, type: of, capacityType });
  const single = (sold: ReturnType<typeof type>[], node: StateNode, cpu = 2, pools = [pool]) =>
    fleet(sold, pools, { nodes: [node], pods: [on(node, 'x', cpus(cpu))] });
  const blockerOf = (w: ReturnType<typeof fleet>, spotToSpotConsolidation = false) =>
    disruptionOf(w, { spotToSpotConsolidation }).run('SingleNodeConsolidation').blocked.get('n')?.at(-1);

  test('7.11.2: is strictly cheaper', () => {
    expect(bought(commandsOf(single([large, small], n('on-demand')), 'SingleNodeConsolidation')[0])).toEqual([
      ['small'],
    ]);
    const same = type('same', 8, 4);
    expect(blockerOf(single([large, same], n('on-demand')))?.message).toBe("Can't replace with a cheaper node");
  });

  test('7.11.3: is as cheap as its dearest zone of the capacity type that it would get', () => {
    const uneven = type('uneven', 4, 1, [{ price: 5, zone: 'zone-b' }]);
    expect(blockerOf(single([large, uneven], n('on-demand')))?.code).toBe('NotCheaper');
    // Spot goes before on-demand, whatever that costs.
    const spot = type('spot', 4, 9, [{ price: 2, capacityType: SPOT }]);
    expect(bought(commandsOf(single([large, spot], n('on-demand')), 'SingleNodeConsolidation')[0])).toEqual([['spot']]);
  });

  test('7.2.4: has a price for a node that is sold out by now, and none that is unknown', () => {
    const soldOut = type('large', 16, 4);
    const gone = { ...soldOut, offerings: soldOut.offerings.map((o) => ({ ...o, available: false })) };
    expect(bought(commandsOf(single([gone, small], n('on-demand')), 'SingleNodeConsolidation')[0])).toEqual([
      ['small'],
    ]);
    const elsewhere = nodeOf('n', { pool, type: large, zone: 'zone-z' });
    expect(blockerOf(single([large, small], elsewhere))?.code).toBe('NotCheaper');
  });

  test('7.11.2: keeps the variety that minValues asks for, or does not come', () => {
    const picky = withDisruption(
      {},
      {
        template: {
          spec: {
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 }],
          },
        },
      },
    );
    const other = type('other', 4, 1.5);
    expect(
      bought(commandsOf(single([large, small, other], n('on-demand'), 2, [picky]), 'SingleNodeConsolidation')[0]),
    ).toEqual([['small', 'other']]);
    expect(blockerOf(single([large, small], n('on-demand'), 2, [picky]))?.message).toBe(
      'Filtering by price: minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type])',
    );
  });

  test('7.11.5: of a spot node by spot has fifteen types, or as many as minValues needs', () => {
    const sold = Array.from({ length: 20 }, (_, i) =>
      type(`t${String(i).padStart(2, '0')}`, 4, 9, [{ price: 1 + i / 100, capacityType: SPOT }]),
    );
    const big = type('big', 16, 9, [{ price: 4, capacityType: SPOT }]);
    const chosen = (pools: NodePool[]) =>
      disruptionOf(single([...sold, big], n(SPOT, big), 2, pools), { spotToSpotConsolidation: true }).run(
        'SingleNodeConsolidation',
      ).commands[0];
    expect(bought(chosen([pool]))[0]).toHaveLength(15);
    const needs = (minValues: number) =>
      withDisruption(
        {},
        {
          template: {
            spec: { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues }] },
          },
        },
      );
    expect(bought(chosen([needs(18)]))[0]).toHaveLength(18);
    expect(bought(chosen([needs(3)]))[0]).toHaveLength(15);
    expect(requirementsOf(chosen([pool]))).toContain(`${CAPACITY_TYPE} In [spot]`);
  });

  test('7.11.5: of a spot node by on-demand needs no gate', () => {
    const onDemand = withDisruption(
      {},
      { template: { spec: { requirements: [{ key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] }] } } },
    );
    const dearSpot = type('large', 16, 9, [{ price: 4, capacityType: SPOT }]);
    const w = single([dearSpot, small], n(SPOT, dearSpot), 2, [onDemand]);
    expect(bought(commandsOf(w, 'SingleNodeConsolidation')[0])).toEqual([['small']]);
  });

  test('7.11.4: that is pinned to spot has its types in the order of their spot prices', () => {
    const a = type('a', 4, 1.2, [{ price: 0.9, capacityType: SPOT }]);
    const b = type('b', 4, 0.8, [{ price: 1, capacityType: SPOT }]);
    const c = type('c', 4, 2, [{ price: 0.5, capacityType: SPOT }]);
    const [command] = commandsOf(single([large, a, b, c], n('on-demand')), 'SingleNodeConsolidation');
    expect(bought(command)).toEqual([['c', 'a', 'b']]);
  });
});

describe('several nodes at once', () => {
  test('7.9.2: are a hundred and one at the most', () => {
    const tiny = type('tiny', 2, 1);
    const host = type('host', 256, 1000);
    const nodes = Array.from({ length: 105 }, (_, i) => nodeOf(`n${String(i).padStart(3, '0')}`, { pool, type: tiny }));
    const target = nodeOf('target', { pool, type: host, conditions: [] });
    const w = fleet([tiny, host], [pool], {
      nodes: [...nodes, target],
      pods: nodes.map((node, i) => on(node, `x${i}`, cpus(1))),
    });
    expect(names(commandsOf(w, 'MultiNodeConsolidation')[0])).toHaveLength(101);
  });

  test('7.9.2: are what was found good when the time is up', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) => nodeOf(name, { pool, type: small }));
    const target = nodeOf('target', { pool, type: large, conditions: [] });
    const w = fleet([small, large], [pool], {
      nodes: [...nodes, target],
      pods: nodes.map((node, i) => on(node, `x${i}`, cpus(1))),
    });
    let time = -40_000;
    const elapsed = (): number => {
      time += 40_000;
      return time;
    };
    const late = disruptionOf(w, { elapsed }).run('MultiNodeConsolidation');
    expect(late.timedOut).toBe(true);
    expect(names(late.commands[0])).toEqual(['a', 'b', 'c']);
    expect(names(commandsOf(w, 'MultiNodeConsolidation')[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('7.9.1: take no more of each pool than its budget', () => {
    const tight = withDisruption({ budgets: [{ nodes: '2' }] });
    const nodes = ['a', 'b', 'c'].map((name) => nodeOf(name, { pool: tight, type: small }));
    const target = nodeOf('target', { pool: tight, type: large, conditions: [] });
    const w = fleet([small, large], [tight], {
      nodes: [...nodes, target],
      pods: nodes.map((node, i) => on(node, `x${i}`, cpus(1))),
    });
    const result = disruptionOf(w).run('MultiNodeConsolidation');
    expect(names(result.commands[0])).toEqual(['a', 'b']);
    expect(result.constrainedByBudgets).toBe(true);
  });
});
