/** Cases from users' reports about upstream; the numbers are those of test/known-faults.ts. */
import { describe, expect, test } from 'vitest';
import type { KubeObject, PodSpec } from '../../src/kube/objects.ts';
import type { InstanceType, Results } from '../../src/scheduling/index.ts';
import { node, nodeClaim, nodePool, requesting } from '../factories/index.ts';
import { claimOf, pending, pool, withClaim, zones } from './reported-cases.ts';
import {
  CAPACITY_TYPE,
  errors,
  instanceType,
  newNodes,
  onNodes,
  type Sold,
  schedule,
  typesOf,
  valuesOf,
  ZONE,
} from './schedule.ts';

/** Per hour, of the cheapest offering on sale of each claim's first type. */
function priceOf(results: Results): number {
  return results.newNodeClaims.reduce((sum, { instanceTypes: [first] }) => {
    return sum + Math.min(...(first?.offerings ?? []).filter((o) => o.available).map((o) => o.price));
  }, 0);
}

/** A type of `cpu` cpus at so much a cpu. */
const sized = (cpu: number, price = cpu, sold: readonly Sold[] = [{ price }]): InstanceType =>
  instanceType(`c-${cpu}`, { cpu: String(cpu), memory: `${cpu * 4}Gi` }, sold);
const DISK = 'disk.example.com';
const REGISTERED = { 'karpenter.sh/nodepool': 'p', 'karpenter.sh/registered': 'true' };
const READY = { ...REGISTERED, 'karpenter.sh/initialized': 'true' };

describe('labels that are not there', () => {
  const foo = (operator: string, values?: string[]): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'foo', operator, ...(values && { values }) }] }],
        },
      },
    },
  });

  test.each([
    ['NotIn', ['bar'], true],
    ['DoesNotExist', undefined, true],
    ['In', ['bar'], false],
    ['Exists', undefined, false],
  ] as const)('B24: a node without the label is right for %s: %s %s', (operator, values, fits) => {
    const results = schedule([
      pool('p'),
      node({ metadata: { name: 'bare' } }),
      pending('p1', foo(operator, values && [...values])),
    ]);
    expect(onNodes(results)).toEqual(fits ? { bare: ['p1'] } : {});
  });

  test('B24: a pod that does not care fits a pool that has the label', () => {
    const labelled = nodePool({
      metadata: { name: 'p' },
      spec: { template: { spec: { requirements: [{ key: 'foo', operator: 'Exists' }] } } },
    });
    expect(newNodes(schedule([labelled, pending('p1')]))).toEqual([['p1']]);
  });

  test('B24: a daemon that shuns a label nobody has is part of the overhead', () => {
    const daemon: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'daemon', namespace: 'default' },
      ...{ spec: { selector: {}, template: { spec: { ...foo('NotIn', ['bar']), ...requesting({ cpu: '1' }) } } } },
    };
    const types = [sized(4), sized(8)];
    expect(typesOf(schedule([pool('p'), daemon, pending('p1', requesting({ cpu: '3500m' }))], types))).toEqual([
      ['c-8'],
    ]);
  });
});

describe('the order of pools', () => {
  test('B28: of equal weights the last name is taken, always and whatever order they come in', () => {
    const pools = ['p', 'p-2', 'p-3'].map((name) => pool(name));
    const pods = ['a', 'b', 'c'].map((name) => pending(name, requesting({ cpu: '3' })));
    for (const order of [pools, pools.toReversed()]) {
      const results = schedule([...order, ...pods], [sized(4)]);
      expect(results.newNodeClaims.map((claim) => claim.nodePool.metadata.name)).toEqual(['p-3', 'p-3', 'p-3']);
    }
  });
});

describe('volumes that new nodes attach', () => {
  const withVolumes = (count: number) =>
    Array.from({ length: count }, (_, i) => [
      ...claimOf(`c${i}`, `v${i}`, 'zone-a'),
      pending(`p${i}`, { ...requesting({ cpu: '10m' }), ...withClaim(`c${i}`) }),
    ]).flat();
  const tenEach = instanceType('t', { cpu: '64', memory: '256Gi', [`attachable-volumes-csi-${DISK}`]: '10' });
  const unlimited = instanceType('t', { cpu: '64', memory: '256Gi' });
  const perNode = (results: Results): number[] => results.newNodeClaims.map(({ pods }) => pods.length);

  test('B32: a hundred volumes on a type that attaches ten make ten nodes at once', () => {
    expect(perNode(schedule([pool('p'), ...withVolumes(100)], [tenEach]))).toEqual(Array(10).fill(10));
  });

  test('B32: what a node of the type can attach is known of the next', () => {
    const labels = { ...READY, 'node.kubernetes.io/instance-type': 't', [ZONE]: 'zone-a' };
    const seen: readonly KubeObject[] = [
      nodeClaim({ metadata: { name: 'n', labels }, status: { providerID: 'x://n' } }),
      node({ metadata: { name: 'n', labels }, spec: { providerID: 'x://n' } }),
      {
        kind: 'CSINode',
        metadata: { name: 'n' },
        ...{ spec: { drivers: [{ name: DISK, allocatable: { count: 10 } }] } },
      },
    ];
    const results = schedule([pool('p'), ...seen, ...withVolumes(30)], [unlimited]);
    const there = results.existingNodes.reduce((sum, { pods }) => sum + pods.length, 0);
    expect([there, ...perNode(results)]).toEqual([10, 10, 10]);
  });

  test('B32: a node that is starting takes no more than its type', () => {
    const labels = { ...REGISTERED, 'node.kubernetes.io/instance-type': 't', [ZONE]: 'zone-a' };
    const starting = nodeClaim({
      metadata: { name: 'n', labels },
      status: { providerID: 'x://n', allocatable: { cpu: '60', memory: '200Gi', pods: '110' } },
    });
    const results = schedule([pool('p'), starting, ...withVolumes(15)], [tenEach]);
    expect(Object.values(onNodes(results)).map((pods) => pods.length)).toEqual([10]);
    expect(perNode(results)).toEqual([5]);
  });

  test('B32: a volume that pods share counts once', () => {
    const sharing = Array.from({ length: 12 }, (_, i) =>
      pending(`p${i}`, { ...requesting({ cpu: '10m' }), ...withClaim('c') }),
    );
    expect(perNode(schedule([pool('p'), ...claimOf('c', 'v', 'zone-a'), ...sharing], [tenEach]))).toEqual([12]);
  });

  test('B32: a pod with more volumes than any node attaches is told so', () => {
    const names = Array.from({ length: 11 }, (_, i) => `c${i}`);
    const volumes = names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    const objects = names.flatMap((name) => claimOf(name, `v-${name}`, 'zone-a'));
    expect(errors(schedule([pool('p'), ...objects, pending('p1', { volumes })], [tenEach]))).toEqual({
      p1: 'VolumeLimit',
    });
  });
});

describe('types that are not as promised', () => {
  const need = requesting({ cpu: '1', memory: '3100Mi' });
  const types = [
    instanceType('t-4', { cpu: '2', memory: '3798Mi' }, [{ price: 1 }]),
    instanceType('t-8', { cpu: '4', memory: '8Gi' }, [{ price: 2 }]),
  ];
  const labels = { ...READY, 'node.kubernetes.io/instance-type': 't-4' };
  const turnedOut = (memory: string): readonly KubeObject[] => [
    nodeClaim({
      metadata: { name: 'n', labels },
      status: { providerID: 'x://n', allocatable: { cpu: '1900m', memory: '3788Mi', pods: '110' } },
    }),
    node({
      metadata: { name: 'n', labels },
      spec: { providerID: 'x://n' },
      status: { allocatable: { cpu: '1900m', memory, pods: '110' } },
    }),
  ];

  test('B42: once a node has less than its claim promised, pods that need more get a larger type', () => {
    expect(typesOf(schedule([pool('p'), pending('p1', need)], types))[0]?.[0]).toBe('t-4');
    const results = schedule([pool('p'), ...turnedOut('3033Mi'), pending('p1', need)], types);
    expect([onNodes(results), typesOf(results)]).toEqual([{}, [['t-8']]]);
  });

  test('B42: one that turned out as promised is bought again', () => {
    const results = schedule([pool('p'), ...turnedOut('3788Mi'), pending('p1', need), pending('p2', need)], types);
    expect(onNodes(results)).toEqual({ n: ['p1'] });
    expect(typesOf(results)[0]?.[0]).toBe('t-4');
  });

  test('B42: what a pool learned is not held against another, whose nodes may be set up otherwise', () => {
    const results = schedule(
      [pool('p', zones('elsewhere')), pool('q'), ...turnedOut('3033Mi'), pending('p1', need)],
      types,
    );
    expect(typesOf(results)[0]?.[0]).toBe('t-4');
  });
});

describe('the price of a plan', () => {
  const daemon: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'daemon', namespace: 'default' },
    ...{ spec: { selector: {}, template: { spec: requesting({ cpu: '1' }) } } },
  };
  const many = (count: number, cpu: string) =>
    Array.from({ length: count }, (_, i) => pending(`p${i}`, requesting({ cpu })));

  test('B44: with a daemon on every node, nodes of one small size would not be cheaper', () => {
    const sizes = [2, 4, 8, 16, 32];
    const results = schedule(
      [pool('p'), daemon, ...many(60, '700m')],
      sizes.map((cpu) => sized(cpu)),
    );
    expect(errors(results)).toEqual({});
    // 100m of each node are the system's, 1 cpu is the daemon's.
    const ofOneSize = sizes.map((cpu) => Math.ceil(60 / Math.floor((cpu - 1.1) / 0.7)) * cpu);
    expect(priceOf(results)).toBeLessThanOrEqual(Math.min(...ofOneSize));
  });

  test('B66: pods that fit two large nodes do not get eight of half the size', () => {
    const results = schedule([pool('p'), ...many(8, '975m')], [sized(2, 0.03875), sized(4, 0.0775)]);
    expect(errors(results)).toEqual({});
    expect(priceOf(results)).toBeCloseTo(0.155);
  });

  const spotUpTo64 = (cpu: number) => [
    { capacityType: 'on-demand', price: cpu },
    { capacityType: 'spot', price: cpu * 0.4, available: cpu <= 64 },
  ];
  const sizes = [16, 32, 64, 128].map((cpu) => sized(cpu, cpu, spotUpTo64(cpu)));

  test('B96: two spot nodes are bought rather than one that is sold on-demand only', () => {
    const results = schedule([pool('p'), ...many(12, '10')], sizes);
    expect(errors(results)).toEqual({});
    expect(priceOf(results)).toBeLessThanOrEqual(2 * 64 * 0.4 + 1e-9);
    const upstream = schedule([pool('p'), ...many(12, '10')], sizes, { keepKnownFaults: true });
    expect([upstream.newNodeClaims.length, priceOf(upstream)]).toEqual([1, 128]);
  });

  test('B96: one on-demand node is bought where spot would cost more', () => {
    const dear = [
      sized(64, 64, [
        { capacityType: 'on-demand', price: 80 },
        { capacityType: 'spot', price: 70 },
      ]),
      sized(128),
    ];
    const results = schedule([pool('p'), ...many(12, '10')], dear);
    expect([results.newNodeClaims.length, priceOf(results)]).toEqual([1, 128]);
  });

  test('B96: a pod that only an on-demand type can hold still gets it', () => {
    const results = schedule([pool('p'), pending('huge', requesting({ cpu: '100' })), ...many(4, '10')], sizes);
    expect(errors(results)).toEqual({});
    expect(valuesOf(results, CAPACITY_TYPE)).toHaveLength(results.newNodeClaims.length);
    expect(typesOf(results).some(([first]) => first === 'c-128')).toBe(true);
  });
});

describe('many pods, many types', () => {
  test('B52: a pool at its limit refuses every shape at once, and takes them when the limit is raised', () => {
    const limited = (cpu: string) => pool('p', [], { limits: { cpu } });
    const pods = Array.from({ length: 3000 }, (_, i) => pending(`p${i}`, requesting({ cpu: `${(i % 300) + 1}m` })));
    const refused = schedule([limited('0'), ...pods], [sized(64)]);
    expect(new Set(Object.values(errors(refused)))).toEqual(new Set(['NodePoolLimit']));
    expect(refused.podErrors.size).toBe(3000);
    expect(schedule([limited('6400'), ...pods], [sized(64)]).podErrors.size).toBe(0);
  });

  test('B102: a claim names no more types than a request may, the cheapest, and keeps its minValues', () => {
    const inSixZones = (price: number) => ['a', 'b', 'c', 'd', 'e', 'f'].map((zone) => ({ zone, price }));
    const types = Array.from({ length: 700 }, (_, i) =>
      instanceType(`t-${i}`, { cpu: '4', memory: '16Gi' }, inSixZones(700 - i)),
    );
    const varied = nodePool({
      metadata: { name: 'p' },
      spec: {
        template: {
          spec: {
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 50 }],
          },
        },
      },
    });
    const [names = []] = typesOf(schedule([varied, pending('p1')], types));
    expect(names).toHaveLength(600);
    expect([names[0], names.at(-1)]).toEqual(['t-699', 't-100']);
  });
});
