/** docs/karpenter-core.md section 4: how pods are packed, but for rules about other pods (topology-rules.test.ts). */
import { describe, expect, test } from 'vitest';
import type { KubeObject, NodeSelectorRequirement, Pod, PodSpec } from '../../src/kube/objects.ts';
import type { InstanceType, Results } from '../../src/scheduling/index.ts';
import { Requirement, Requirements } from '../../src/scheduling/index.ts';
import { node, nodeClaim, nodePool, type Overrides, pod, requesting, unschedulablePod } from '../factories/index.ts';
import { inZones, pending, pool, SMALL, soldIn, zones } from './reported-cases.ts';
import {
  CAPACITY_TYPE,
  errors,
  instanceType,
  newNodes,
  onNodes,
  schedule,
  typesOf,
  valuesOf,
  ZONE,
} from './schedule.ts';

const small = inZones('a', 'b', 'c');
const large = instanceType('large', { cpu: '16', memory: '64Gi' }, [{ zone: 'a', price: 4 }]);
const READY = {
  'karpenter.sh/nodepool': 'p',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/initialized': 'true',
  'node.kubernetes.io/instance-type': 'small',
};
const ROOM = { cpu: '4', memory: '8Gi', pods: '10' };
const managed = (
  name: string,
  rest: Overrides<Parameters<typeof node>[0] & object> = {},
  labels: Readonly<Record<string, string>> = READY,
): readonly KubeObject[] => [
  nodeClaim({ metadata: { name, labels }, status: { providerID: `x://${name}`, capacity: ROOM, allocatable: ROOM } }),
  node({
    metadata: { name, labels },
    spec: { providerID: `x://${name}` },
    status: { capacity: ROOM, allocatable: ROOM },
    ...rest,
  }),
];
const bound = (
  name: string,
  nodeName: string,
  requests: Readonly<Record<string, string>>,
  overrides: Overrides<Pod> = {},
) =>
  pod({
    ...overrides,
    metadata: { name, ...overrides.metadata },
    spec: { ...requesting(requests), nodeName },
    status: { phase: 'Running' },
  });
const terms = (...alternatives: readonly NodeSelectorRequirement[][]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: alternatives.map((matchExpressions) => ({ matchExpressions })),
      },
    },
  },
});
const isIn = (key: string, ...values: string[]): NodeSelectorRequirement => ({ key, operator: 'In', values });
const poolsOf = (results: Results) => results.newNodeClaims.map((claim) => claim.nodePool.metadata.name);

describe('4.1 what a pod asks of its node', () => {
  test('its selector, the heaviest of its preferences and the first of its alternatives', () => {
    const preferring = (weight: number, zone: string) => ({
      weight,
      preference: { matchExpressions: [isIn(ZONE, zone)] },
    });
    const { affinity } = terms([isIn('kubernetes.io/arch', 'amd64')], [isIn('kubernetes.io/arch', 'arm64')]);
    const spec: Partial<PodSpec> = {
      nodeSelector: { [CAPACITY_TYPE]: 'on-demand' },
      affinity: {
        nodeAffinity: {
          ...affinity?.nodeAffinity,
          preferredDuringSchedulingIgnoredDuringExecution: [preferring(1, 'a'), preferring(9, 'c')],
        },
      },
    };
    const results = schedule([pool('p'), pending('p1', spec)], [small]);
    expect([
      valuesOf(results, ZONE),
      valuesOf(results, 'kubernetes.io/arch'),
      valuesOf(results, CAPACITY_TYPE),
    ]).toEqual([['c'], ['amd64'], ['on-demand']]);
  });

  test('a number beyond all numbers is no label at all', () => {
    expect(String(Requirement.of('k', 'Gt', ['9223372036854775807']))).toBe('k DoesNotExist');
  });

  test('two rules that are both met by a missing label do not contradict each other', () => {
    const of = (operator: string, values: string[] = []) => new Requirements([Requirement.of('k', operator, values)]);
    expect(of('DoesNotExist').intersects(of('NotIn', ['a']))).toBe(true);
    expect(of('DoesNotExist').intersects(of('In', ['a']))).toBe(false);
  });
});

describe('4.2 amounts', () => {
  test('a node that is overdrawn in anything takes nothing, whatever is asked', () => {
    const objects = [pool('p'), ...managed('n'), bound('fat', 'n', { memory: '9Gi' })];
    expect(onNodes(schedule([...objects, pending('p1', requesting({ cpu: '1' }))], [small]))).toEqual({});
  });

  test('a pod counts as one of the pods that a node can hold', () => {
    const full = { status: { allocatable: { ...ROOM, pods: '1' } } };
    const objects = [pool('p'), ...managed('n', full), bound('one', 'n', {})];
    expect(onNodes(schedule([...objects, pending('p1', requesting({}))], [small]))).toEqual({});
  });

  test('a pod that is being resized takes the larger of what it has and what it wants', () => {
    const resized = bound('r', 'n', { cpu: '1' });
    const allocated = {
      containerStatuses: [{ name: 'main', allocatedResources: { cpu: '3' }, resources: { requests: { cpu: '3' } } }],
    };
    const world = (status: object) => [
      pool('p'),
      ...managed('n'),
      { ...resized, status: { ...resized.status, ...status } },
      pending('p1', requesting({ cpu: '2' })),
    ];
    expect(onNodes(schedule(world({}), [small]))).toEqual({ n: ['p1'] });
    expect(onNodes(schedule(world(allocated), [small]))).toEqual({});
  });

  const daemonSet: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'd', namespace: 'default', uid: 'd' },
    ...{ spec: { selector: {}, template: { spec: requesting({ cpu: '2' }) } } },
  };

  test('room is kept for daemons that do not run yet, and only for those', () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }];
    const asked = pending('p1', requesting({ cpu: '2500m' }));
    expect(onNodes(schedule([pool('p'), daemonSet, ...managed('n'), asked], [small]))).toEqual({});
    const running = bound('d-1', 'n', { cpu: '1' }, { metadata: { name: 'd-1', ownerReferences } });
    expect(onNodes(schedule([pool('p'), daemonSet, ...managed('n'), running, asked], [small]))).toEqual({ n: ['p1'] });
  });
});

describe('4.3 what a new node of a pool starts from', () => {
  test('labels of the template are requirements', () => {
    const labelled = nodePool({ metadata: { name: 'p' }, spec: { template: { metadata: { labels: { team: 'a' } } } } });
    const results = schedule(
      [labelled, pending('p1', { nodeSelector: { team: 'b' } }), pending('p2', { nodeSelector: { team: 'a' } })],
      [small],
    );
    expect([errors(results), newNodes(results)]).toEqual([{ p1: 'RequirementsIncompatible' }, [['p2']]]);
  });

  test('daemons that wait for an initialized node are counted, and the claim does not ask for it', () => {
    const daemon: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd', namespace: 'default' },
      ...{
        spec: {
          selector: {},
          template: { spec: { ...requesting({ cpu: '2' }), nodeSelector: { 'karpenter.sh/initialized': 'true' } } },
        },
      },
    };
    const results = schedule([pool('p'), daemon, pending('p1', requesting({ cpu: '3' }))], [small, large]);
    expect(typesOf(results)).toEqual([['large']]);
  });

  test('a daemon that prefers to stay away from a soft taint is counted all the same', () => {
    const soft = nodePool({
      metadata: { name: 'p' },
      spec: { template: { spec: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] } } },
    });
    const daemon: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd', namespace: 'default' },
      ...{ spec: { selector: {}, template: { spec: requesting({ cpu: '2' }) } } },
    };
    expect(typesOf(schedule([soft, daemon, pending('p1', requesting({ cpu: '3' }))], [small, large]))).toEqual([
      ['large'],
    ]);
  });

  test('without any type there is still room on nodes that are there', () => {
    const empty = pool('p', zones('nowhere'));
    const results = schedule([empty, ...managed('n'), pending('p1'), pending('p2', requesting({ cpu: '8' }))], [small]);
    expect(onNodes(results)).toEqual({ n: ['p1'] });
    expect([...results.podErrors.values()].map(({ message }) => message)).toEqual([
      'nodepool requirements filtered out all available instance types',
    ]);
  });
});

describe('4.4 the queue', () => {
  test('takes the pods with the most cpu first, then memory, then age, then uid; priority does not count', () => {
    const one = (name: string, cpu: string, memory: string, rest: Overrides<Pod> = {}) =>
      unschedulablePod({
        ...rest,
        metadata: { name, ...rest.metadata },
        spec: { ...requesting({ cpu, memory }), ...rest.spec },
      });
    const old = '2026-01-01T00:00:00Z';
    const young = '2026-02-01T00:00:00Z';
    const pods = [
      one('e', '1', '1Gi', { metadata: { creationTimestamp: young, uid: '1' }, spec: { priority: 1000 } }),
      one('d', '1', '1Gi', { metadata: { creationTimestamp: old, uid: '3' } }),
      one('c', '1', '1Gi', { metadata: { creationTimestamp: old, uid: '2' } }),
      one('b', '1', '2Gi'),
      one('a', '2', '1Gi'),
    ];
    // One pod to a node: nodes are opened in the order of the queue.
    const apart = instanceType('one', { cpu: '4', memory: '16Gi', pods: '1' });
    const results = schedule([pool('p'), ...pods], [apart]);
    expect(results.newNodeClaims.map((claim) => claim.pods[0]?.metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('comes back to a pod that failed once others have found a place', () => {
    const besideB: Partial<PodSpec> = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'b' } } },
          ],
        },
      },
    };
    const results = schedule(
      [
        pool('p'),
        pending('a', { ...requesting({ cpu: '2' }), ...besideB }),
        pending('b', { nodeSelector: { [ZONE]: 'c' } }, { app: 'b' }),
      ],
      [small],
    );
    expect([errors(results), newNodes(results), valuesOf(results, ZONE)]).toEqual([{}, [['a', 'b']], ['c']]);
  });

  test('among claims under way the one with the fewest pods is tried first', () => {
    const pods = [
      pending('a1', requesting({ cpu: '3' })),
      pending('a2', requesting({ cpu: '2' })),
      pending('b', requesting({ cpu: '500m' })),
      pending('c', requesting({ cpu: '400m' })),
    ];
    expect(newNodes(schedule([pool('p'), ...pods], [small]))).toEqual([
      ['a1', 'b'],
      ['a2', 'c'],
    ]);
  });
});

describe('4.5 nodes that are there', () => {
  test('ready ones are tried first, then by name; one that is being launched counts, and so does one that is not ours', () => {
    const { 'karpenter.sh/initialized': _, ...starting } = READY;
    const launching = nodeClaim({
      metadata: { name: 'a-launching', labels: starting },
      status: { providerID: 'x://l', allocatable: ROOM },
    });
    const foreign = node({ metadata: { name: 'c-foreign' }, status: { allocatable: ROOM } });
    const pods = ['1', '2', '3', '4'].map((n) => pending(`p${n}`, requesting({ cpu: '3' })));
    const results = schedule([pool('p'), launching, foreign, ...managed('b-ready'), ...pods], [small]);
    expect(onNodes(results)).toEqual({ 'b-ready': ['p1'], 'c-foreign': ['p2'], 'a-launching': ['p3'] });
    expect(newNodes(results)).toEqual([['p4']]);
  });

  test('what a node that starts does not report yet is taken from its claim', () => {
    const { 'karpenter.sh/initialized': _, ...starting } = READY;
    const silent = { status: { capacity: {}, allocatable: { cpu: '0' } } };
    expect(onNodes(schedule([pool('p'), ...managed('n', silent, starting), pending('p1')], [small]))).toEqual({
      n: ['p1'],
    });
    expect(onNodes(schedule([pool('p'), ...managed('n', silent), pending('p1')], [small]))).toEqual({});
  });

  test('until it is registered its labels and taints are those of its claim', () => {
    const { 'karpenter.sh/initialized': _, 'karpenter.sh/registered': __, ...unregistered } = READY;
    const [claim] = managed('n', {}, { ...unregistered, team: 'a' });
    if (!claim) throw new Error('no claim');
    const bare = node({
      metadata: { name: 'n', labels: unregistered },
      spec: { providerID: 'x://n', taints: [{ key: 'x', effect: 'NoSchedule' }] },
      status: { allocatable: ROOM },
    });
    expect(
      onNodes(schedule([pool('p'), claim, bare, pending('p1', { nodeSelector: { team: 'a' } })], [small])),
    ).toEqual({ n: ['p1'] });
  });

  test('a host port of zero is no host port', () => {
    const withPort = (hostPort: number): Partial<PodSpec> => ({
      containers: [{ name: 'main', ports: [{ hostPort, protocol: 'TCP' }] }],
    });
    expect(newNodes(schedule([pool('p'), pending('a', withPort(0)), pending('b', withPort(0))], [small]))).toHaveLength(
      1,
    );
    expect(newNodes(schedule([pool('p'), pending('a', withPort(1)), pending('b', withPort(1))], [small]))).toHaveLength(
      2,
    );
  });
});

describe('4.6 new nodes', () => {
  test('startup taints keep nobody away', () => {
    const slow = nodePool({
      metadata: { name: 'p' },
      spec: { template: { spec: { startupTaints: [{ key: 'x', effect: 'NoSchedule' }] } } },
    });
    expect(newNodes(schedule([slow, pending('p1')], [small]))).toEqual([['p1']]);
  });

  test('types whose daemon has the port that the pod wants are out', () => {
    const port: PodSpec['containers'] = [{ name: 'main', ports: [{ hostPort: 80, protocol: 'TCP' }] }];
    const daemon: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd', namespace: 'default' },
      ...{
        spec: {
          selector: {},
          template: { spec: { containers: port, nodeSelector: { 'node.kubernetes.io/instance-type': 'small' } } },
        },
      },
    };
    expect(typesOf(schedule([pool('p'), daemon, pending('p1', { containers: port })], [small, large]))).toEqual([
      ['large'],
    ]);
  });

  test('too few kinds of types are refused when minValues is strict, and counted down when it is not', () => {
    const varied = nodePool({
      metadata: { name: 'p' },
      spec: {
        template: {
          spec: { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 }] },
        },
      },
    });
    const big = pending('p1', requesting({ cpu: '8' }));
    expect(errors(schedule([varied, big], [small, large]))).toEqual({ p1: 'MinValues' });
    const [claim] = schedule([varied, big], [small, large], { minValuesPolicy: 'BestEffort' }).newNodeClaims;
    expect(claim?.requirements.get('node.kubernetes.io/instance-type').minValues).toBe(1);
    expect(newNodes(schedule([varied, pending('p2')], [small, large]))).toEqual([['p2']]);
  });

  test('a pod is not added to a claim that would fall short of minValues by it, even at best effort', () => {
    const varied = nodePool({
      metadata: { name: 'p' },
      spec: {
        template: {
          spec: { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 }] },
        },
      },
    });
    const medium = instanceType('medium', { cpu: '8', memory: '32Gi' }, [{ price: 2 }]);
    const pods = ['1', '2', '3'].map((n) => pending(`p${n}`, requesting({ cpu: '3500m' })));
    const results = schedule([varied, ...pods], [small, medium], { minValuesPolicy: 'BestEffort' });
    expect(results.newNodeClaims).toHaveLength(3);
  });
});

describe('4.8 limits', () => {
  const limited = (limits: Readonly<Record<string, string>>) => pool('p', [], { limits });

  test('types that are larger than what is left are out', () => {
    expect(typesOf(schedule([limited({ cpu: '10' }), pending('p1')], [small, large]))).toEqual([['small']]);
    const results = schedule([limited({ cpu: '10' }), pending('p1', requesting({ cpu: '8' }))], [small, large]);
    const [error] = results.podErrors.values();
    expect(error?.targets?.[0]?.reasons.map(({ code }) => code)).toContain('NodePoolLimit');
    expect(errors(schedule([limited({ cpu: '1' }), pending('p1')], [small, large]))).toEqual({ p1: 'NodePoolLimit' });
  });

  test('nodes that are there count with their capacity, those on their way out do not', () => {
    const [claim, there] = managed('n');
    const leaving = {
      ...claim,
      metadata: { ...claim?.metadata, name: 'n', deletionTimestamp: '2026-11-30T00:00:00Z' },
    } as KubeObject;
    const full = bound(
      'full',
      'n',
      { cpu: '4' },
      { metadata: { name: 'full', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } },
    );
    expect(errors(schedule([limited({ cpu: '6' }), ...managed('n'), full, pending('p1')], [small]))).toEqual({
      p1: 'NodePoolLimit',
    });
    expect(
      newNodes(schedule([limited({ cpu: '6' }), leaving, ...(there ? [there] : []), full, pending('p1')], [small])),
    ).toEqual([['p1']]);
  });

  test('a claim counts as the largest node it may become, so that a limit may take several passes', () => {
    const pods = [pending('p1', requesting({ cpu: '3' })), pending('p2', requesting({ cpu: '3' }))];
    const apart = instanceType('large', { cpu: '16', memory: '64Gi', pods: '1' }, [{ price: 4 }]);
    const alone = instanceType('small', { ...SMALL, pods: '1' });
    expect(errors(schedule([limited({ cpu: '18' }), ...pods], [alone, apart]))).toEqual({ p2: 'NodePoolLimit' });
    expect(errors(schedule([limited({ cpu: '20' }), ...pods], [alone, apart]))).toEqual({});
  });

  test('another pool is used where one is at its limit', () => {
    const results = schedule([pool('a', [], { weight: 9, limits: { cpu: '1' } }), pool('b'), pending('p1')], [small]);
    expect(poolsOf(results)).toEqual(['b']);
  });
});

describe('4.9 reserved capacity', () => {
  const RESERVATION = 'example.com/reservation';
  const withReservation = (
    name: string,
    resources: Readonly<Record<string, string>>,
    capacity: number,
    id = 'r-1',
  ): InstanceType => {
    const plain = instanceType(name, resources, [{ price: 1 }, { capacityType: 'reserved', price: 0.01 }]);
    return {
      ...plain,
      offerings: plain.offerings.map((offering, i) =>
        i === 0
          ? offering
          : {
              ...offering,
              requirements: new Requirements([...offering.requirements, Requirement.of(RESERVATION, 'In', [id])]),
              reservationCapacity: capacity,
            },
      ),
    };
  };
  const options = { reservationIDLabel: RESERVATION, wellKnownLabels: new Set([RESERVATION]) };
  const pods = (count: number) => Array.from({ length: count }, (_, i) => pending(`p${i}`, requesting({ cpu: '3' })));

  test('as many claims hold a reservation as it has room for', () => {
    const results = schedule([pool('p'), ...pods(3)], [withReservation('t', SMALL, 2)], options);
    expect(valuesOf(results, RESERVATION)).toEqual(['r-1', 'r-1']);
    expect(Object.values(errors(results))).toEqual(['ReservedOffering']);
  });

  test('where pools see different numbers the smallest holds', () => {
    const seen = [withReservation('t', SMALL, 5), withReservation('u', SMALL, 1)];
    expect(valuesOf(schedule([pool('p'), ...pods(2)], seen, options), RESERVATION)).toEqual(['r-1']);
  });

  test('while one is to be had no other pool is used', () => {
    const results = schedule(
      [pool('a', [], { weight: 9 }), pool('b'), ...pods(2)],
      [withReservation('t', SMALL, 1)],
      options,
    );
    expect(poolsOf(results)).toEqual(['a']);
  });

  test('a claim gives back what a further pod rules out', () => {
    const big = withReservation('big', { cpu: '16', memory: '64Gi' }, 1, 'r-big');
    const tiny = withReservation('tiny', SMALL, 1, 'r-tiny');
    const results = schedule([pool('p'), ...pods(2)], [tiny, big], options);
    expect([newNodes(results), valuesOf(results, RESERVATION)]).toEqual([[['p0', 'p1']], ['r-big']]);
  });

  test('with the gate off they are offerings like any other', () => {
    const results = schedule([pool('p'), ...pods(2)], [withReservation('t', SMALL, 1)], {
      ...options,
      reservedCapacity: false,
    });
    expect([newNodes(results).length, errors(results)]).toEqual([2, {}]);
  });
});

describe('4.10 giving up preferences', () => {
  const nowhere = isIn(ZONE, 'nowhere');

  test('alternatives are tried one after the other', () => {
    expect(
      valuesOf(
        schedule([pool('p'), pending('p1', terms([nowhere], [isIn(ZONE, 'elsewhere')], [isIn(ZONE, 'c')]))], [small]),
        ZONE,
      ),
    ).toEqual(['c']);
    expect(Object.keys(errors(schedule([pool('p'), pending('p1', terms([nowhere], [nowhere]))], [small])))).toEqual([
      'p1',
    ]);
  });

  test('preferences about nodes go from the heaviest', () => {
    const preferring = (weight: number, requirement: NodeSelectorRequirement) => ({
      weight,
      preference: { matchExpressions: [requirement] },
    });
    const spec: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            preferring(1, isIn(ZONE, 'a')),
            preferring(9, nowhere),
            preferring(5, isIn(ZONE, 'b')),
          ],
        },
      },
    };
    expect(valuesOf(schedule([pool('p'), pending('p1', spec)], [small]), ZONE)).toEqual(['b']);
    const ignored = schedule([pool('p'), pending('p1', spec)], [small], { preferencePolicy: 'Ignore' });
    expect(ignored.newNodeClaims.map(({ requirements }) => requirements.find(ZONE))).toEqual([undefined]);
  });

  test('preferences about pods go before those about nodes', () => {
    const spec: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [isIn(ZONE, 'b')] } },
          ],
        },
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 99, podAffinityTerm: { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'nobody' } } } },
          ],
        },
      },
    };
    expect(valuesOf(schedule([pool('p'), pending('p1', spec)], [small]), ZONE)).toEqual(['b']);
  });

  test('soft spreading goes before soft taints', () => {
    const soft = nodePool({
      metadata: { name: 'p' },
      spec: { template: { spec: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] } } },
    });
    const spread = {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'a' } },
    };
    const pods = ['1', '2'].map((n) => pending(`p${n}`, { topologySpreadConstraints: [spread] }));
    expect(newNodes(schedule([soft, ...pods], [small]))).toEqual([['p1', 'p2']]);
    expect(newNodes(schedule([pool('p'), ...pods], [small]))).toEqual([['p1'], ['p2']]);
  });

  test('what is asked for without being preferred is never given up', () => {
    const results = schedule([pool('p'), pending('p1', { nodeSelector: { [ZONE]: 'nowhere' } })], [small]);
    expect(Object.keys(errors(results))).toEqual(['p1']);
  });
});

describe('4.13 the finished claim', () => {
  test('asks for its pods and the least that daemons take, and for no hostname', () => {
    const daemon = (name: string, cpu: string, type: string): KubeObject => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'default' },
      ...{
        spec: {
          selector: {},
          template: { spec: { ...requesting({ cpu }), nodeSelector: { 'node.kubernetes.io/instance-type': type } } },
        },
      },
    });
    const [claim] = schedule(
      [pool('p'), daemon('d1', '1', 'small'), daemon('d2', '2', 'large'), pending('p1', requesting({ cpu: '1' }))],
      [small, large],
    ).newNodeClaims;
    expect(claim?.requests.cpu).toBe(2000);
    expect(claim?.requirements.find('kubernetes.io/hostname')).toBeUndefined();
  });

  test('names its types by price, whatever order they are offered in', () => {
    const priced = [3, 1, 2].map((price) => instanceType(`t-${price}`, SMALL, [...soldIn('a'), { price }].slice(1)));
    expect(typesOf(schedule([pool('p'), pending('p1')], priced))).toEqual([['t-1', 't-2', 't-3']]);
  });
});
