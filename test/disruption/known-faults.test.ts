/** Cases from users' reports about upstream, on one frozen cluster; the numbers are those of test/known-faults.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../src/kube/objects.ts';
import { solve } from '../../src/scheduling/index.ts';
import { pdb, reasons } from '../factories/disruption.ts';
import { disruptOptions, nodeClaim, nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { instanceType } from '../scheduling/schedule.ts';
import { bought, commandsOf, disruptionOf, fleet, names, next, nodeOf, on, requirementsOf } from './reported-fleets.ts';

const pool = nodePool({ metadata: { name: 'p' } });
const small = instanceType('small', { cpu: '4', memory: '16Gi' }, [{ price: 1 }]);
const large = instanceType('large', { cpu: '16', memory: '64Gi' }, [{ price: 4 }]);
const ONE = { cpu: '1', memory: '1Gi' };
const SCHEDULE = {
  ...disruptOptions().schedule,
  reservedOfferingMode: 'Strict',
  enforceConsolidateAfter: false,
} as const;
const DRIFTED = { type: 'Drifted', status: 'True', reason: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;

describe('rules between pods', () => {
  test('B16: an old key in an anti-affinity rule does not keep a drifted node', () => {
    const apart: Partial<PodSpec> = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'failure-domain.example.com/hostname', labelSelector: { matchLabels: { app: 'a' } } },
          ],
        },
      },
    };
    const old = nodeOf('old', { pool, type: small, conditions: [DRIFTED] });
    const w = fleet([small], [pool], { nodes: [old], pods: [on(old, 'p1', ONE, apart), on(old, 'p2', ONE, apart)] });
    const [command] = commandsOf(w, 'Drift');
    expect([names(command), bought(command)]).toEqual([['old'], [['small']]]);
  });

  test('B22: a preference about an old label does not stand in the way of a cheaper node', () => {
    const sold = [
      { price: 1, capacityType: 'on-demand' },
      { price: 0.3, capacityType: 'spot' },
    ];
    const type = instanceType('t', { cpu: '4', memory: '16Gi' }, sold);
    const preference: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: { matchExpressions: [{ key: 'old.example.com/provisioner', operator: 'DoesNotExist' }] },
            },
          ],
        },
      },
    };
    const n = nodeOf('n', { pool, type });
    const command = next(fleet([type], [pool], { nodes: [n], pods: [on(n, 'p1', ONE, preference)] }));
    expect(command?.decision).toBe('replace');
    expect(requirementsOf(command)).toContain('karpenter.sh/capacity-type In [spot]');
  });

  test('B34: a node stays when its volumes can be attached nowhere else', () => {
    const [a, b] = [nodeOf('a', { pool, type: large }), nodeOf('b', { pool, type: large })];
    const driver = 'disk.example.com';
    const claims = ['1', '2', '3', '4'].map((i) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `c${i}`, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: `v${i}` },
    }));
    const volumes = ['1', '2', '3', '4'].map((i) => ({ metadata: { name: `v${i}` }, spec: { csi: { driver } } }));
    const using = (i: number): Partial<PodSpec> => ({
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `c${i}` } }],
    });
    const limits = (name: string, count: number) => ({
      metadata: { name },
      spec: { drivers: [{ name: driver, allocatable: { count } }] },
    });
    const pods = [
      on(a, 'p1', ONE, using(1)),
      on(a, 'p2', ONE, using(2)),
      on(b, 'p3', ONE, using(3)),
      on(b, 'p4', ONE, using(4)),
    ];
    const storage = { persistentVolumeClaims: claims, persistentVolumes: volumes };
    const decide = (count: number) =>
      next(
        fleet([large], [pool], { nodes: [a, b], pods, ...storage, csiNodes: [limits('a', count), limits('b', count)] }),
      );
    expect(decide(3)).toBeUndefined();
    expect(decide(4)?.decision).toBe('delete');
  });
});

describe('prices and capacity types', () => {
  test('B62: a pending pod that fits nowhere does not keep an unrelated node', () => {
    const [a, b] = [nodeOf('a', { pool, type: small }), nodeOf('b', { pool, type: small })];
    const other = nodePool({ metadata: { name: 'other' } });
    const impossible = unschedulablePod({
      spec: { nodeSelector: { 'karpenter.sh/nodepool': 'other', 'example.com/gpu': 'yes' } },
    });
    const command = next(
      fleet([small], [pool, other], { nodes: [a, b], pods: [on(a, 'p1', ONE), on(b, 'p2', ONE), impossible] }),
    );
    expect(command?.decision).toBe('delete');
  });

  test('B64: one node of the larger pool replaces a node that the heavier pool of small ones would make two of', () => {
    const sized = (name: string, weight: number, types: readonly string[]) =>
      nodePool({
        metadata: { name },
        spec: {
          weight,
          template: {
            spec: { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: types }] },
          },
        },
      });
    const lesser = sized('small', 50, ['s']);
    const greater = sized('large', 10, ['m', 'xl']);
    const types = [
      instanceType('s', { cpu: '4', memory: '8Gi' }, [{ price: 1 }]),
      instanceType('m', { cpu: '8', memory: '40Gi' }, [{ price: 2 }]),
      instanceType('xl', { cpu: '48', memory: '192Gi' }, [{ price: 12 }]),
    ];
    const [, , xl] = types;
    if (!xl) throw new Error('no type');
    const n = nodeOf('n', { pool: greater, type: xl });
    const pods = [on(n, 'p', { cpu: '3', memory: '2Gi' }), on(n, 'q', { cpu: '1', memory: '30Gi' })];
    const command = next(fleet(types, [lesser, greater], { nodes: [n], pods }));
    expect(command?.replacements.map(({ nodePool: { metadata } }) => metadata.name)).toEqual(['large']);
    expect(bought(command)).toEqual([['m']]);
    expect(command?.savings).toBe(10);
  });

  test('B64: no such node is taken when it costs as much as the node that is there', () => {
    const lesser = nodePool({ metadata: { name: 'small' }, spec: { weight: 50 } });
    const types = [
      instanceType('s', { cpu: '4', memory: '8Gi' }, [{ price: 1 }]),
      instanceType('m', { cpu: '8', memory: '40Gi' }, [{ price: 2 }]),
    ];
    const [, m] = types;
    if (!m) throw new Error('no type');
    const n = nodeOf('n', { pool, type: m });
    const pods = [on(n, 'p', { cpu: '3', memory: '2Gi' }), on(n, 'q', { cpu: '1', memory: '30Gi' })];
    expect(next(fleet(types, [lesser, pool], { nodes: [n], pods }))).toBeUndefined();
  });

  test('B68: where no spot is on sale the replacement is on-demand', () => {
    const sold = (price: number, spotOnSale: boolean) => [
      { price, capacityType: 'on-demand' },
      { price: price / 3, capacityType: 'spot', available: spotOnSale },
    ];
    const types = (spotOnSale: boolean) => [
      instanceType('small', { cpu: '4', memory: '16Gi' }, sold(1, spotOnSale)),
      instanceType('large', { cpu: '16', memory: '64Gi' }, sold(4, spotOnSale)),
    ];
    const decide = (spotOnSale: boolean) => {
      const [, type] = types(spotOnSale);
      if (!type) throw new Error('no type');
      const n = nodeOf('n', { pool, type });
      return next(fleet(types(spotOnSale), [pool], { nodes: [n], pods: [on(n, 'p1', ONE)] }));
    };
    const none = decide(false);
    expect(bought(none)).toEqual([['small']]);
    expect(requirementsOf(none)).toContain('karpenter.sh/capacity-type In [on-demand]');
    expect(none?.savings).toBe(3);
    expect(requirementsOf(decide(true))).toContain('karpenter.sh/capacity-type In [spot]');
  });

  test('B98: where on-demand is discounted below spot the replacement is on-demand', () => {
    const sold = (price: number) => [
      { price: price * 0.32, capacityType: 'on-demand' },
      { price: price * 0.4, capacityType: 'spot' },
    ];
    const [lesser, greater] = [
      instanceType('small', { cpu: '4', memory: '16Gi' }, sold(1)),
      instanceType('large', { cpu: '16', memory: '64Gi' }, sold(4)),
    ];
    const n = nodeOf('n', { pool, type: greater });
    const command = next(fleet([lesser, greater], [pool], { nodes: [n], pods: [on(n, 'p1', ONE)] }));
    expect(requirementsOf(command)).toContain('karpenter.sh/capacity-type In [on-demand]');
    expect(command?.savings).toBeCloseTo(3 * 0.32);
  });

  test('B76: what was launched for random pods is neither launched again nor replaced by something cheaper', () => {
    const types = [1, 2, 4, 8].map((size) =>
      instanceType(`c-${size}`, { cpu: `${2 * size}`, memory: `${8 * size}Gi` }, [{ price: size }]),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }), (sizes) => {
        const waiting = sizes.map((s, i) =>
          unschedulablePod({ metadata: { name: `p${i}` }, spec: requesting({ cpu: `${s * 250}m` }) }),
        );
        const { newNodeClaims } = solve(fleet(types, [pool], { pods: waiting }), waiting, SCHEDULE);
        const running = newNodeClaims.map(({ instanceTypes: [type], pods }, i) => {
          if (!type) throw new Error('a claim has types');
          const there = nodeOf(`n${i}`, { pool, type });
          return {
            there,
            pods: pods.map((p) => on(there, p.metadata.name, p.spec.containers[0]?.resources?.requests ?? {})),
          };
        });
        const after = fleet(types, [pool], {
          nodes: running.map(({ there }) => there),
          pods: running.flatMap(({ pods }) => pods),
        });
        expect(solve(after, 'provisionable', SCHEDULE).newNodeClaims).toEqual([]);
        expect(next(after)).toBeUndefined();
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  test('B70: a well filled node that fell back to on-demand returns to spot', () => {
    const sold = [
      { price: 1, capacityType: 'on-demand' },
      { price: 0.4, capacityType: 'spot' },
    ];
    const type = instanceType('t', { cpu: '4', memory: '16Gi' }, sold);
    const n = nodeOf('n', { pool, type });
    const fallenBack = {
      ...n,
      nodeClaim: nodeClaim({
        ...n.nodeClaim,
        spec: {
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
        },
      }),
    };
    const command = next(fleet([type], [pool], { nodes: [fallenBack], pods: [on(n, 'p1', { cpu: '3500m' })] }));
    expect(requirementsOf(command)).toContain('karpenter.sh/capacity-type In [spot]');
    expect(command?.savings).toBeCloseTo(0.6);
  });
});

describe('consolidateAfter', () => {
  test('B74: a node that has just received pods neither goes nor is sent more from others', () => {
    const patient = nodePool({ metadata: { name: 'p' }, spec: { disruption: { consolidateAfter: '30m' } } });
    const received = nodeOf('received', { pool: patient, type: small, conditions: [] });
    const { nodeClaim } = received;
    if (!nodeClaim) throw new Error('no claim');
    const receiver = {
      ...received,
      nodeClaim: { ...nodeClaim, status: { ...nodeClaim.status, lastPodEventTime: '2026-03-04T11:50:00Z' } },
    };
    const quiet = ['three', 'four'].map((name) => nodeOf(name, { pool: patient, type: small }));
    const w = fleet([small], [patient], {
      nodes: [receiver, ...quiet],
      pods: [on(receiver, 'moved', ONE), ...quiet.map((n) => on(n, `on-${n.node?.metadata.name}`, { cpu: '2' }))],
    });
    const result = disruptionOf(w).run('SingleNodeConsolidation');
    expect(reasons(result, receiver)).toEqual(['ConsolidateAfter']);
    expect(result.commands).toEqual([]);
    const rested = next({ ...w, now: w.now + 30 * 60_000 });
    expect([names(rested), [...(rested?.placements.keys() ?? [])]]).toEqual([['four'], ['received']]);
  });
});

describe('budgets', () => {
  const windows = nodePool({
    metadata: { name: 'p' },
    spec: {
      disruption: {
        budgets: [
          { nodes: '2' },
          { nodes: '1', reasons: ['Empty', 'Drifted'], schedule: '0 8 * * *', duration: '20h' },
          { nodes: '0', reasons: ['Underutilized'], schedule: '0 8 * * *', duration: '20h' },
        ],
      },
    },
  });
  const nodes = ['a', 'b', 'c'].map((name) => nodeOf(name, { pool: windows, type: small }));

  test.each([
    ['2026-03-04T12:00:00Z', { Empty: 1, Drifted: 1, Underutilized: 0 }],
    ['2026-03-04T05:00:00Z', { Empty: 2, Drifted: 2, Underutilized: 2 }],
  ])('B56: at %s each reason has its own number', (now, expected) => {
    const disruption = disruptionOf({ ...fleet([small], [windows], { nodes }), now: Date.parse(now) });
    const left = (reason: 'Empty' | 'Drifted' | 'Underutilized') => disruption.budgets(reason).get('p')?.remaining;
    expect({ Empty: left('Empty'), Drifted: left('Drifted'), Underutilized: left('Underutilized') }).toEqual(expected);
  });

  test('B58: a schedule that can not be read closes the pool, and the node says which', () => {
    const broken = nodePool({
      metadata: { name: 'p' },
      spec: {
        disruption: {
          budgets: [
            { nodes: '1', schedule: '0 9 * * mon-fri', duration: '8h' },
            { nodes: '1', schedule: '0 9 * * sat-sun', duration: '8h' },
          ],
        },
      },
    });
    const n = nodeOf('n', { pool: broken, type: small });
    const verdict = disruptionOf(fleet([small], [broken], { nodes: [n] })).verdict('n');
    expect(verdict.command).toBeUndefined();
    const messages = verdict.command ? [] : verdict.blockers.map(({ message }) => message);
    expect(messages.join()).toMatch(/spec\.disruption\.budgets\[1\]\.schedule.*"0 9 \* \* sat-sun"/);
  });
});

describe('pods that may not be evicted', () => {
  const selecting = (name: string, allowed: number) => pdb(name, { app: 'a' }, allowed);

  test('B86: pods that wait on a node on its way out do not count against another node', () => {
    const kept = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    const leaving = nodeOf('leaving', { pool, type: small, state: { markedForDeletion: true } });
    const drifted = nodeOf('drifted', { pool, type: small, conditions: [DRIFTED] });
    const big = { cpu: '3' };
    const w = fleet([small], [pool], {
      nodes: [leaving, drifted],
      pods: [on(leaving, 'stuck', big, {}, kept), on(drifted, 'free', ONE)],
    });
    const [command] = commandsOf(w, 'Drift');
    expect(names(command)).toEqual(['drifted']);
    expect(command?.replacements.flatMap(({ pods }) => pods.map(({ metadata }) => metadata.name))).toEqual(['free']);
  });

  test('B88: a pod of two budgets keeps its node, which says so, and nothing else', () => {
    const [a, b] = [nodeOf('a', { pool, type: small }), nodeOf('b', { pool, type: small })];
    const w = fleet([small], [pool], {
      nodes: [a, b],
      pods: [on(a, 'p1', ONE), on(b, 'p2', ONE, {}, { metadata: { labels: { app: 'b' } } })],
      podDisruptionBudgets: [selecting('x', 1), selecting('y', 1)],
    });
    const result = disruptionOf(w).run('SingleNodeConsolidation');
    expect(reasons(result, a)).toEqual(['MultiplePodDisruptionBudgets']);
    expect(result.blocked.get('a')?.[0]?.message).toMatch(/default\/x default\/y/);
    expect(names(result.commands[0])).toEqual(['b']);
  });

  test('B90: of three nodes whose pods share a budget of one, one goes now, and the others can follow', () => {
    const nodes = ['a', 'b', 'c'].map((name) => nodeOf(name, { pool, type: small }));
    const room = nodeOf('room', { pool, type: large });
    const pods = nodes.map((n) => on(n, `on-${n.node?.metadata.name}`, ONE));
    const kept = { labels: { app: 'b' }, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
    const filler = on(room, 'filler', { cpu: '12' }, {}, { metadata: kept });
    const w = fleet([small, large], [pool], {
      nodes: [...nodes, room],
      pods: [...pods, filler],
      podDisruptionBudgets: [selecting('ingress', 1)],
    });
    const command = next(w);
    expect(names(command)).toHaveLength(1);
    const disruption = disruptionOf(w);
    expect(['a', 'b', 'c'].map((name) => disruption.verdict(name).command?.decision)).toEqual(Array(3).fill('delete'));
    const free = next({ ...w, podDisruptionBudgets: [selecting('ingress', 3)] });
    expect(names(free)).toEqual(['a', 'b', 'c']);
  });
});
