/** Cases from users' reports about upstream; the numbers are those of test/known-faults.ts. */
import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../src/kube/objects.ts';
import { node, nodeClaim, requesting } from '../factories/index.ts';
import {
  claimOf,
  inZones,
  pending,
  pool,
  runningIn,
  SMALL,
  soldIn,
  spread,
  volume,
  withClaim,
  zones,
} from './reported-cases.ts';
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

describe('topology spread', () => {
  const ofX = { 'karpenter.sh/nodepool': 'x' };
  const onX = { ...ofX, 'node.kubernetes.io/instance-type': 'small', 'karpenter.sh/initialized': 'true' };

  test('B02: zones of a pool that the pods do not select are not counted', () => {
    const bound = ['a', 'b', 'c'].flatMap((zone) => [
      ...runningIn(zone, `${zone}1`, onX),
      ...runningIn(zone, `${zone}2`, onX),
    ]);
    const results = schedule(
      [
        pool('x', zones('a', 'b', 'c')),
        pool('y'),
        ...bound,
        pending('seventh', { nodeSelector: ofX, topologySpreadConstraints: [spread()] }),
      ],
      [inZones('a', 'b', 'c', 'd', 'e', 'f')],
    );
    expect(newNodes(results)).toEqual([['seventh']]);
    expect(valuesOf(results, ZONE)[0]).toMatch(/^[abc]$/);
  });

  test('B02: nor are they named when there is no place', () => {
    const results = schedule(
      [
        pool('x', zones('a', 'b', 'c')),
        pool('y'),
        ...['a', 'b', 'c'].flatMap((zone) => runningIn(zone, `${zone}1`, onX)),
        pending('p', {
          nodeSelector: ofX,
          topologySpreadConstraints: [spread({ minDomains: 4 })],
        }),
      ],
      [inZones('a', 'b', 'c', 'd', 'e', 'f')],
    );
    const [error] = results.podErrors.values();
    expect(error?.message).toContain('(counts = a: 1, b: 1, c: 1,');
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
    expect(results.emptyPools?.map(({ nodePool: { metadata } }) => metadata.name)).toEqual(['b']);
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

  test('B12: a node to be launched is chosen large enough for the whole group', () => {
    const group = ['g1', 'g2', 'g3'].map((name) =>
      pending(name, { ...together(HOSTNAME), ...requesting({ cpu: '3' }) }),
    );
    const results = schedule(
      [pool('p'), ...group],
      [inZones('a'), instanceType('large', { cpu: '16', memory: '64Gi' })],
    );
    expect(newNodes(results)).toEqual([['g1', 'g2', 'g3']]);
    expect(typesOf(results)).toEqual([['large']]);
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
    const there = node({ metadata: { name: 'n', labels: { [ZONE]: 'a' } } });
    expect(onNodes(schedule([pool('p'), there, ...pods], [inZones('a')]))).toEqual({ n: ['p1', 'p2', 'p3'] });
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
      [
        instanceType(
          't',
          SMALL,
          ['a', 'b'].flatMap((zone) => [
            { zone, capacityType: 'on-demand' },
            { zone, capacityType: 'spot', price: 0.3 },
          ]),
        ),
      ],
    );
    expect(onNodes(results)).toEqual({});
    expect([valuesOf(results, ZONE), valuesOf(results, CAPACITY_TYPE)]).toEqual([['b'], ['on-demand']]);
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

  test('B30: so is every alternative of a storage class, past a zone that is sold out', () => {
    const anyOf = (...names: string[]) =>
      names.map((zone) => ({ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }));
    const storage = [
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'disk' },
        provisioner: 'disk.example.com',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: anyOf('a', 'b', 'c'),
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace: 'default' },
        spec: { storageClassName: 'disk' },
      },
    ];
    const type = instanceType('t', SMALL, [{ zone: 'a', available: false }, { zone: 'b' }]);
    const results = schedule([pool('p'), ...storage, pending('p', withClaim('data'))], [type]);
    expect(valuesOf(results, ZONE)).toEqual(['b']);
  });
});
