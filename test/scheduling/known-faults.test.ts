/** Cases from users' reports about upstream; the numbers are those of test/parity/differences.md and of its sources. */
import { describe, expect, test } from 'vitest';
import type { KubeObject, PodSpec, TopologySpreadConstraint } from '../../src/kube/objects.ts';
import { node, nodeClaim, nodePool, pod, requesting, unschedulablePod } from '../factories/index.ts';
import {
  CAPACITY_TYPE,
  errors,
  HOSTNAME,
  instanceType,
  newNodes,
  onNodes,
  schedule,
  typesOf,
  valuesOf,
  ZONE,
} from './schedule.ts';

const zones = (...names: string[]) => [{ key: ZONE, operator: 'In' as const, values: names }];
const pool = (name: string, requirements: ReturnType<typeof zones> = [], rest: object = {}) =>
  nodePool({ metadata: { name }, spec: { template: { spec: { requirements } }, ...rest } });
const spread = (rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  topologyKey: ZONE,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'a' } },
  ...rest,
});
const pending = (name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = { app: 'a' }) =>
  unschedulablePod({ metadata: { name, labels }, spec: { ...requesting({ cpu: '1', memory: '1Gi' }), ...spec } });
const soldIn = (...names: string[]) => names.map((zone) => ({ zone }));
const SMALL = { cpu: '4', memory: '16Gi' };
const inZones = (...names: string[]) => instanceType('small', SMALL, soldIn(...names));
const runningIn = (zone: string, name: string) => [
  node({
    metadata: { name, labels: { [HOSTNAME]: name, [ZONE]: zone } },
    status: { allocatable: { cpu: '1', memory: '1Gi', pods: '1' } },
  }),
  pod({
    metadata: { name: `on-${name}`, labels: { app: 'a' } },
    spec: { nodeName: name },
    status: { phase: 'Running' },
  }),
];
const claimOf = (name: string, volumeName: string, zone: string): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    ...{ spec: { volumeName } },
  },
  volume(volumeName, [{ key: ZONE, values: [zone] }]),
];
const volume = (name: string, terms: readonly { key: string; values: readonly string[] }[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  ...{
    spec: {
      csi: { driver: 'disk.example.com' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: terms.map(({ key, values }) => ({ matchExpressions: [{ key, operator: 'In', values }] })),
        },
      },
    },
  },
});
const withClaim = (claimName: string): Partial<PodSpec> => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});

describe('topology spread', () => {
  test('B02: zones of a pool that the pods do not select are not counted', () => {
    const bound = ['a', 'b', 'c'].flatMap((zone) => [...runningIn(zone, `${zone}1`), ...runningIn(zone, `${zone}2`)]);
    const results = schedule(
      [
        pool('x', zones('a', 'b', 'c')),
        pool('y'),
        ...bound,
        pending('seventh', { nodeSelector: { 'karpenter.sh/nodepool': 'x' }, topologySpreadConstraints: [spread()] }),
      ],
      [inZones('a', 'b', 'c', 'd', 'e', 'f')],
    );
    expect(newNodes(results)).toEqual([['seventh']]);
  });

  test('B04: a pool with a wrong zone does not make soft spreading vanish', () => {
    const soft = { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] };
    const results = schedule(
      [
        pool('good', zones('a', 'b', 'c')),
        pool('bad', zones('nowhere')),
        ...[1, 2, 3, 4, 5, 6].map((i) => pending(`p${i}`, soft)),
      ],
      [inZones('a', 'b', 'c')],
    );
    const perZone = new Map<string, number>();
    for (const { pods, requirements } of results.newNodeClaims) {
      const zone = [...requirements.get(ZONE).values].join('+');
      perZone.set(zone, (perZone.get(zone) ?? 0) + pods.length);
    }
    expect(Object.fromEntries(perZone)).toEqual({ a: 2, b: 2, c: 2 });
  });

  test('B06: a zonal volume decides where the pod goes, not what is counted', () => {
    const results = schedule(
      [
        pool('p'),
        ...['a', 'b', 'c'].flatMap((zone) => runningIn(zone, `${zone}1`)),
        ...claimOf('data-3', 'pv-3', 'a'),
        ...claimOf('data-4', 'pv-4', 'b'),
        pending('web-3', { topologySpreadConstraints: [spread()], ...withClaim('data-3') }),
        pending('web-4', { topologySpreadConstraints: [spread()], ...withClaim('data-4') }),
      ],
      [inZones('a', 'b', 'c')],
    );
    expect(newNodes(results)).toEqual([['web-3'], ['web-4']]);
    expect(valuesOf(results, ZONE)).toEqual(['a', 'b']);
  });

  test('B08: a pool in a zone that does not sell its types is passed over', () => {
    const family = { key: 'karpenter.kwok.sh/instance-family', operator: 'In' as const, values: ['big'] };
    const results = schedule(
      [
        pool('b', [...zones('b'), family]),
        pool('m', [...zones('m'), family]),
        pending('p', { topologySpreadConstraints: [spread()] }),
      ],
      [instanceType('big-1', SMALL, soldIn('m')), instanceType('tiny-1', SMALL, soldIn('b', 'm'))],
    );
    expect(results.newNodeClaims.map((claim) => claim.nodePool.metadata.name)).toEqual(['m']);
  });
});

describe('affinity between pods', () => {
  const together = (key: string): Partial<PodSpec> => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: key, labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    },
  });
  const apart = (key: string): Partial<PodSpec> => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: key, labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    },
  });

  test('B12: a node that is starting can take a whole group', () => {
    const starting = nodeClaim({
      metadata: { name: 'starting', labels: { 'karpenter.sh/nodepool': 'p', [ZONE]: 'a' } },
      status: { providerID: 'x://1', capacity: { ...SMALL, pods: '10' }, allocatable: { ...SMALL, pods: '10' } },
    });
    const group = ['g1', 'g2', 'g3'].map((name) => pending(name, together(HOSTNAME)));
    const results = schedule([pool('p'), starting, ...group], [inZones('a')]);
    expect(onNodes(results)).toEqual({ starting: ['g1', 'g2', 'g3'] });
    expect(results.newNodeClaims).toEqual([]);
  });

  test('B14: a group starts where the volume of one of its members is', () => {
    const free = node({
      metadata: { name: 'free', labels: { [ZONE]: 'b' } },
      status: { allocatable: { cpu: '2', memory: '4Gi', pods: '5' } },
    });
    const results = schedule(
      [
        pool('p'),
        free,
        ...claimOf('data', 'pv', 'c'),
        pending('first', { ...together(ZONE), ...requesting({ cpu: '2' }) }),
        pending('with-volume', { ...together(ZONE), ...withClaim('data') }),
      ],
      [inZones('a', 'b', 'c')],
    );
    expect(onNodes(results)).toEqual({});
    expect(newNodes(results)).toEqual([['first', 'with-volume']]);
    expect(valuesOf(results, ZONE)).toEqual(['c']);
  });

  test('B16: anti-affinity on a key that no node carries keeps nobody away', () => {
    const results = schedule(
      [pool('p'), pending('p1', apart('old.example.com/host')), pending('p2', apart('old.example.com/host'))],
      [inZones('a')],
    );
    expect(errors(results)).toEqual({});
    expect(newNodes(results)).toEqual([['p1', 'p2']]);
  });

  test('B16: nor does it on a node that exists', () => {
    const results = schedule(
      [pool('p'), node({ metadata: { name: 'n' } }), pending('p1', apart('old.example.com/host'))],
      [inZones('a')],
    );
    expect(onNodes(results)).toEqual({ n: ['p1'] });
  });

  test('B18: each preference given up is followed by another look at nodes and claims that are there', () => {
    const soft: Partial<PodSpec> = {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'a' } } } },
          ],
        },
      },
    };
    const pods = ['p1', 'p2', 'p3'].map((name) => pending(name, { ...soft, ...requesting({ cpu: '100m' }) }));
    expect(newNodes(schedule([pool('p'), ...pods], [inZones('a')]))).toEqual([['p1', 'p2', 'p3']]);
  });
});

describe('labels and volumes', () => {
  test('B20: a volume narrows every alternative of the node affinity', () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'never.example.com/set', operator: 'In', values: ['x'] }] },
            { matchExpressions: [{ key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] }] },
          ],
        },
      },
    };
    const roomInA = node({ metadata: { name: 'in-a', labels: { [ZONE]: 'a', [CAPACITY_TYPE]: 'on-demand' } } });
    const results = schedule(
      [pool('p'), roomInA, ...claimOf('data', 'pv', 'b'), pending('p', { affinity, ...withClaim('data') })],
      [inZones('a', 'b')],
    );
    expect(onNodes(results)).toEqual({});
    expect(valuesOf(results, ZONE)).toEqual(['b']);
  });

  test('B26: the old name of the zone label on a volume is understood', () => {
    const old = volume('pv', [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['b'] }]);
    const [claim] = claimOf('data', 'pv', 'b');
    if (!claim) throw new Error('no claim');
    const results = schedule([pool('p'), old, claim, pending('p', withClaim('data'))], [inZones('a', 'b')]);
    expect(valuesOf(results, ZONE)).toEqual(['b']);
  });

  test('B30: every alternative of a volume is tried', () => {
    const three = volume(
      'pv',
      ['a', 'b', 'c'].map((zone) => ({ key: ZONE, values: [zone] })),
    );
    const [claim] = claimOf('data', 'pv', 'a');
    if (!claim) throw new Error('no claim');
    const results = schedule(
      [pool('p', zones('b')), three, claim, pending('p', withClaim('data'))],
      [inZones('a', 'b', 'c')],
    );
    expect(valuesOf(results, ZONE)).toEqual(['b']);
  });
});

describe('daemons and resources', () => {
  const daemon = (spec: Partial<PodSpec>, rest: object = {}): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'daemon', namespace: 'default' },
    ...{ spec: { selector: {}, template: { metadata: {}, spec: { containers: [], ...spec } } }, ...rest },
  });
  const small = instanceType('small-1', { cpu: '4100m', memory: '16Gi' }, [{ price: 1 }]);
  const big = instanceType('big-1', { cpu: '8100m', memory: '32Gi' }, [{ price: 2 }]);
  const onBigOnly = daemon({
    ...requesting({ cpu: '1' }),
    nodeSelector: { 'karpenter.kwok.sh/instance-family': 'big' },
  });

  test('B36: a daemon that runs on some types only weighs on those', () => {
    const results = schedule([pool('p'), onBigOnly, pending('p', requesting({ cpu: '3500m' }))], [small, big]);
    expect(typesOf(results)[0]?.[0]).toBe('small-1');
    const tooBig = schedule([pool('p'), onBigOnly, pending('p', requesting({ cpu: '7500m' }))], [small, big]);
    expect(errors(tooBig)).toEqual({ p: 'InsufficientResources' });
  });

  test('B38: defaults of a LimitRange count for daemons that ask for nothing', () => {
    const limits: KubeObject = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'limits', namespace: 'default' },
      ...{ spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1' } }] } },
    };
    const silent = daemon({ containers: [{ name: 'main', image: 'pause' }] });
    const types = [
      instanceType('x-16', { cpu: '16', memory: '64Gi' }),
      instanceType('x-32', { cpu: '32', memory: '64Gi' }, [{ price: 2 }]),
    ];
    expect(typesOf(schedule([pool('p'), silent, limits, pending('p', requesting({ cpu: '15' }))], types))).toEqual([
      ['x-32'],
    ]);
    expect(typesOf(schedule([pool('p'), silent, pending('p', requesting({ cpu: '15' }))], types))[0]).toContain('x-16');
  });

  test('B40: init containers, sidecars, overhead and daemons are all weighed', () => {
    const daemons = daemon(requesting({ memory: '1Gi' }));
    const spec: Partial<PodSpec> = {
      containers: [
        { name: 'a', resources: { requests: { memory: '1Gi' } } },
        { name: 'b', resources: { requests: { memory: '1Gi' } } },
      ],
      initContainers: [
        { name: 'side', restartPolicy: 'Always', resources: { requests: { memory: '1Gi' } } },
        { name: 'init', resources: { requests: { memory: '5Gi' } } },
      ],
      overhead: { memory: '1Gi' },
    };
    // Starting needs 1 + 5, the overhead 1, the daemon 1: 8 GiB, and the type keeps 10 MiB for itself.
    const types = [
      instanceType('x-8', { cpu: '4', memory: '8Gi' }),
      instanceType('x-9', { cpu: '4', memory: '9Gi' }, [{ price: 2 }]),
    ];
    expect(typesOf(schedule([pool('p'), daemons, pending('p', spec)], types))).toEqual([['x-9']]);
  });
});

describe('taints, limits and static pools', () => {
  test('B46: a node that is starting is not avoided for its passing taints', () => {
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'node.kubernetes.io/instance-type': 'small',
    };
    const claim = nodeClaim({
      metadata: { name: 'n', labels },
      status: { providerID: 'x://n', allocatable: { ...SMALL, pods: '10' } },
    });
    const starting = node({
      metadata: { name: 'n', labels },
      spec: { providerID: 'x://n', taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] },
    });
    const results = schedule([pool('p'), claim, starting, pending('p')], [inZones('a')]);
    expect(onNodes(results)).toEqual({ n: ['p'] });
  });

  test('B48: PreferNoSchedule is the last resort, and only that', () => {
    const tainted = nodePool({
      metadata: { name: 'z-tainted' },
      spec: { template: { spec: { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] } } },
    });
    const alone = schedule([tainted, pending('p')], [inZones('a')]);
    expect(newNodes(alone)).toEqual([['p']]);
    const beside = schedule([tainted, pool('a-free'), pending('p')], [inZones('a')]);
    expect(beside.newNodeClaims.map((claim) => claim.nodePool.metadata.name)).toEqual(['a-free']);
  });

  test('B50: a limit on nodes holds within one pass', () => {
    const apart = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: HOSTNAME, labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    };
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    };
    const results = schedule(
      [
        pool('p', [], { limits: { nodes: '3' } }),
        nodeClaim({ metadata: { name: 'n1', labels }, status: { providerID: 'kwok://n1' } }),
        node({ metadata: { name: 'n1', labels } }),
        pod({ metadata: { name: 'p0', labels: { app: 'a' } }, spec: { nodeName: 'n1' }, status: { phase: 'Running' } }),
        ...['p1', 'p2', 'p3', 'p4'].map((name) => pending(name, { affinity: apart })),
      ],
      [inZones('a')],
    );
    expect(newNodes(results)).toHaveLength(2);
    expect(Object.values(errors(results))).toEqual(['NodePoolLimit', 'NodePoolLimit']);
  });

  test('B54: pending pods never grow a static pool', () => {
    const fixed = nodePool({ metadata: { name: 'fixed' }, spec: { replicas: 2, limits: { nodes: '4' } } });
    const results = schedule([fixed, pending('p')], [inZones('a')]);
    expect(results.newNodeClaims).toEqual([]);
    expect(errors(results)).toEqual({ p: 'NoNodePools' });
  });
});

describe('offerings and minValues', () => {
  test('B76: the cheapest type that fits comes first', () => {
    const types = [instanceType('dear', SMALL, [{ price: 2 }]), instanceType('cheap', SMALL, [{ price: 1 }])];
    expect(typesOf(schedule([pool('p'), pending('p')], types))).toEqual([['cheap', 'dear']]);
  });

  test('B92: zone and capacity type are looked at as a pair', () => {
    const type = instanceType('t', SMALL, [
      { zone: 'z1', capacityType: 'spot', available: false },
      { zone: 'z2', capacityType: 'on-demand' },
    ]);
    const results = schedule([pool('p'), pending('p', { nodeSelector: { [ZONE]: 'z1' } })], [type]);
    expect(errors(results)).toEqual({ p: 'NoOffering' });
  });

  test('B98: what an overlay made cheaper than spot is what is launched first', () => {
    const types = [
      instanceType('spot', SMALL, [{ capacityType: 'spot', price: 0.5 }]),
      instanceType('discounted', SMALL, [{ capacityType: 'on-demand', price: 0.3 }]),
    ];
    expect(typesOf(schedule([pool('p'), pending('p')], types))[0]?.[0]).toBe('discounted');
  });

  describe('B100: a pod pins one of the two zones that a pool wants', () => {
    const twoZones = nodePool({
      metadata: { name: 'p' },
      spec: { template: { spec: { requirements: [{ key: ZONE, operator: 'In', values: ['a', 'b'], minValues: 2 }] } } },
    });
    const pinned = pending('p', { nodeSelector: { [ZONE]: 'a' } });

    test('it waits when minValues is strict', () => {
      expect(errors(schedule([twoZones, pinned], [inZones('a', 'b')]))).toEqual({ p: 'MinValues' });
    });

    test('minValues gives way when it is best effort', () => {
      const [claim] = schedule([twoZones, pinned], [inZones('a', 'b')], {
        minValuesPolicy: 'BestEffort',
      }).newNodeClaims;
      expect(claim?.requirements.get(ZONE).minValues).toBe(1);
      expect(claim?.annotations['karpenter.sh/nodeclaim-min-values-relaxed']).toBe('true');
    });
  });
});
