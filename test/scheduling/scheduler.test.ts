import { describe, expect, test } from 'vitest';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import type { Container, KubeObject, PodSpec } from '../../src/kube/objects.ts';
import {
  type InstanceType,
  Requirement,
  Requirements,
  type Results,
  type ScheduleOptions,
  Scheduler,
} from '../../src/scheduling/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { node, nodeClaim, nodePool, pod, requesting, unschedulablePod } from '../factories/index.ts';
import { randomWorld } from '../parity/random-world.ts';
import { errors, HOSTNAME, instanceType, NOW, newNodes, onNodes, schedule, valuesOf, ZONE } from './schedule.ts';

const SMALL = { cpu: '4', memory: '16Gi' };
const small = instanceType('small', SMALL);
const pool = nodePool({ metadata: { name: 'p' } });
const pending = (name: string, spec: Partial<PodSpec> = {}) =>
  unschedulablePod({ metadata: { name }, spec: { ...requesting({ cpu: '1', memory: '1Gi' }), ...spec } });
const OPTIONS: ScheduleOptions = {
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  reservedOfferingMode: 'Fallback',
  reservedCapacity: true,
  enforceConsolidateAfter: false,
  ignoreDRARequests: true,
  reasons: false,
  wellKnownLabels: new Set(KWOK_WELL_KNOWN_LABELS),
};

/** Everything that a result decides, as text. */
function decided({ newNodeClaims, existingNodes, podErrors }: Results): string {
  const name = ({ metadata }: KubeObject) => metadata.name;
  return JSON.stringify([
    newNodeClaims.map((c) => [
      c.pods.map(name),
      c.instanceTypes.map((t) => t.name),
      String(c.requirements),
      c.requests,
    ]),
    existingNodes.map((e) => [stateNodeName(e.node), e.pods.map(name)]),
    [...podErrors].map(([p, error]) => [name(p), error]),
  ]);
}

describe('a scheduler', () => {
  const types = genericInstanceTypes().map(toInstanceType);

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('decides the same however often it has been asked (world %i)', (seed) => {
    const { objects } = randomWorld(seed, 'mixed');
    const world = worldFromObjects(objects, { instanceTypes: types, now: NOW });
    const questions = [undefined, ...world.nodes].map((gone) => {
      const names = new Set(gone ? [stateNodeName(gone)] : []);
      return { excludedNodes: names, pods: world.pods.filter((p) => !p.spec.nodeName || names.has(p.spec.nodeName)) };
    });
    const shared = new Scheduler(world, OPTIONS);
    for (const question of [...questions, ...questions]) {
      expect(decided(shared.solve(question))).toBe(decided(new Scheduler(world, OPTIONS).solve(question)));
    }
  });

  test('moves the pods of a node that is left out, and does not count them where they were', () => {
    const spread = {
      topologyKey: ZONE,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'a' } },
    };
    const placed = (name: string, on: string) =>
      pod({
        metadata: { name, labels: { app: 'a' } },
        spec: { nodeName: on, ...requesting({ cpu: '1' }), topologySpreadConstraints: [spread] },
        status: { phase: 'Running' },
      });
    const inZone = (name: string, zone: string) =>
      node({ metadata: { name, labels: { [HOSTNAME]: name, [ZONE]: zone } } });
    const objects = [
      pool,
      inZone('a1', 'a'),
      inZone('a2', 'a'),
      inZone('b1', 'b'),
      placed('p1', 'a1'),
      placed('p2', 'b1'),
    ];
    const world = worldFromObjects(objects, { instanceTypes: [small], now: NOW });
    const scheduler = new Scheduler(world, OPTIONS);
    const moving = scheduler.reschedulablePods((name) => name === 'a1');
    expect(onNodes(scheduler.solve({ pods: moving, excludedNodes: new Set(['a1']) }))).toEqual({ a2: ['p1'] });
  });

  test('stops when it is told that time is up, and keeps what it has placed', () => {
    const objects = [pool, pending('p1'), pending('p2'), pending('p3')];
    const world = worldFromObjects(objects, { instanceTypes: [small], now: NOW });
    let attempts = 0;
    const results = new Scheduler(world, OPTIONS).solve({
      pods: world.pods,
      options: { expired: () => ++attempts >= 2 },
    });
    expect(results.timedOut).toBe(true);
    expect(newNodes(results)).toEqual([['p1', 'p2']]);
  });

  test('keeps running pods off nodes whose pods have just changed, but not pending ones', () => {
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    };
    const resting = nodePool({ metadata: { name: 'p' }, spec: { disruption: { consolidateAfter: '1h' } } });
    const claim = nodeClaim({
      metadata: { name: 'n', labels },
      status: {
        providerID: 'kwok://n',
        lastPodEventTime: '2026-11-30T23:30:00Z',
        conditions: [{ type: 'Initialized', status: 'True' }],
      },
    });
    const running = pod({ metadata: { name: 'moving' }, spec: { nodeName: 'gone' }, status: { phase: 'Running' } });
    const objects = [
      resting,
      claim,
      node({ metadata: { name: 'n', labels } }),
      node({ metadata: { name: 'gone' } }),
      running,
      pending('waiting'),
    ];
    const world = worldFromObjects(objects, { instanceTypes: [small], now: NOW });
    const results = new Scheduler(world, { ...OPTIONS, enforceConsolidateAfter: true }).solve({
      pods: world.pods,
      excludedNodes: new Set(['gone']),
    });
    expect(onNodes(results)).toEqual({ n: ['waiting'] });
    expect(newNodes(results)).toEqual([['moving']]);
  });
});

describe('which pods are tried', () => {
  test('those that no node could take, also when another scheduler asks; and those of nodes that go away', () => {
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    };
    const going = nodeClaim({
      metadata: { name: 'going', labels, deletionTimestamp: '2026-11-30T00:00:00Z' },
      status: { providerID: 'kwok://going' },
    });
    const on = (name: string, rest: object = {}) =>
      pod({ metadata: { name, ...rest }, spec: { nodeName: 'going' }, status: { phase: 'Running' } });
    const results = schedule(
      [
        pool,
        going,
        node({ metadata: { name: 'going', labels } }),
        on('moves'),
        on('stays', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        on('daemon', { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd' }] }),
        pending('other-scheduler', { schedulerName: 'mine' }),
        pod({ metadata: { name: 'gated' } }),
      ],
      [small],
    );
    expect(newNodes(results)).toEqual([['moves', 'other-scheduler']]);
  });

  const affinity = (key: string, operator: string, values?: string[]): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values ? { values } : {}) }] }],
        },
      },
    },
  });

  test.each<[string, Partial<PodSpec>, RegExp]>([
    [
      'asks for a hostname',
      { nodeSelector: { [HOSTNAME]: 'n' } },
      /^using label kubernetes.io\/hostname is not allowed/,
    ],
    [
      'asks for a label of ours',
      { nodeSelector: { 'karpenter.sh/initialized': 'true' } },
      /^using label karpenter.sh\/initialized is not/,
    ],
    [
      'wants none of our nodes',
      affinity('karpenter.sh/nodepool', 'DoesNotExist'),
      /^configured to not run on a Karpenter/,
    ],
    ['has an empty list', affinity('a', 'In', []), /^key a with operator In must have a value defined/],
    ['compares with text', affinity('a', 'Gt', ['x']), /^key a with operator Gt must have a single positive integer/],
    [
      'has a claim that is not there',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      /"c" not found/,
    ],
  ])('not one that %s', (_, spec, message) => {
    const { rejected, podErrors, newNodeClaims } = schedule([pool, pending('p', spec)], [small]);
    expect([...(rejected?.values() ?? [])].map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    expect([podErrors.size, newNodeClaims.length]).toEqual([0, 0]);
  });

  test('a pod with resource claims is refused for good', () => {
    const results = schedule(
      [pool, pending('p', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] })],
      [small],
    );
    expect(errors(results)).toEqual({ p: 'DRA' });
  });
});

describe('what two pods can’t share', () => {
  const withPort = (hostPort: number, hostIP?: string, protocol = 'TCP'): Partial<PodSpec> => {
    const container: Container = { name: 'main', ports: [{ hostPort, protocol, ...(hostIP ? { hostIP } : {}) }] };
    return { containers: [container] };
  };

  test.each([
    ['the same port', withPort(80), withPort(80), 2],
    ['the same port, one of them on every address', withPort(80, '10.0.0.1'), withPort(80, '0.0.0.0'), 2],
    ['the same port on every address, written in two ways', withPort(80, '::'), withPort(80), 2],
    ['the same address, written in two ways', withPort(80, 'fe80::1'), withPort(80, 'FE80:0:0:0:0:0:0:1'), 2],
  ])('a node, when they want %s', (_, a, b, nodes) => {
    expect(newNodes(schedule([pool, pending('a', a), pending('b', b)], [small]))).toHaveLength(nodes);
  });

  test.each([
    ['ports', withPort(80), withPort(81)],
    ['addresses', withPort(80, '10.0.0.1'), withPort(80, '10.0.0.2')],
    ['protocols', withPort(80), withPort(80, undefined, 'UDP')],
  ])('is nothing, when their %s differ', (_, a, b) => {
    expect(newNodes(schedule([pool, pending('a', a), pending('b', b)], [small]))).toHaveLength(1);
  });

  test('a node that can attach no more volumes', () => {
    const claim = (name: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      ...{ spec: { storageClassName: 'fast' } },
    });
    const driver = { name: 'csi.example.com', allocatable: { count: 1 } };
    const objects: KubeObject[] = [
      pool,
      node({ metadata: { name: 'n' } }),
      { kind: 'CSINode', metadata: { name: 'n' }, ...{ spec: { drivers: [driver] } } },
      {
        kind: 'StorageClass',
        metadata: { name: 'fast' },
        ...{ provisioner: driver.name, volumeBindingMode: 'WaitForFirstConsumer' },
      },
      ...['v1', 'v2'].map(claim),
      ...['v1', 'v2'].map((claimName) =>
        pending(`with-${claimName}`, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] }),
      ),
    ];
    const results = schedule(objects, [small]);
    expect(onNodes(results)).toEqual({ n: ['with-v1'] });
    expect(newNodes(results)).toEqual([['with-v2']]);
  });
});

describe('reasons', () => {
  test('name each pool and node with its rule, nearest miss first', () => {
    const tainted = nodePool({
      metadata: { name: 'tainted' },
      spec: { template: { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } } },
    });
    const full = node({ metadata: { name: 'full' }, status: { allocatable: { cpu: '1', pods: '10' } } });
    const results = schedule([pool, tainted, full, pending('huge', requesting({ cpu: '64' }))], [small]);
    const [error] = results.podErrors.values();
    expect(error?.code).toBe('InsufficientResources');
    expect(error?.targets?.map(({ kind, name, reasons }) => [kind, name, reasons[0]?.code])).toEqual([
      ['NodePool', 'p', 'InsufficientResources'],
      ['NodePool', 'tainted', 'TaintNotTolerated'],
      ['Node', 'full', 'InsufficientResources'],
    ]);
    expect(error?.targets?.[0]?.reasons[0]?.funnel).toEqual([
      { step: 'instance types', left: 1 },
      { step: 'size', left: 0 },
    ]);
  });

  test('guess that somebody wrote M for m', () => {
    const results = schedule([pool, pending('p', requesting({ cpu: '1M' }))], [small]);
    expect([...results.podErrors.values()][0]?.message).toMatch(/\(CPU request >= 1 Million, m vs M typo\?\)$/);
  });

  test('pools without any type are named', () => {
    const windows = nodePool({
      metadata: { name: 'windows' },
      spec: {
        template: { spec: { requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['windows'] }] } },
      },
    });
    const results = schedule([windows, pending('p')], [small]);
    expect(results.emptyPools?.map(({ nodePool: { metadata } }) => metadata.name)).toEqual(['windows']);
    expect([...results.podErrors.values()].map(({ message }) => message)).toEqual([
      'nodepool requirements filtered out all available instance types',
    ]);
  });
});

describe('reserved capacity', () => {
  const RESERVATION = 'example.com/reservation';
  const plain = instanceType('res', SMALL, [{ price: 1 }, { capacityType: 'reserved', price: 0.01 }]);
  const reserved: InstanceType = {
    ...plain,
    offerings: plain.offerings.map((offering, i) => {
      if (i === 0) return offering;
      const requirements = new Requirements([...offering.requirements, Requirement.of(RESERVATION, 'In', ['r-1'])]);
      return { ...offering, requirements, reservationCapacity: 1 };
    }),
  };
  const options = { reservationIDLabel: RESERVATION, wellKnownLabels: new Set([RESERVATION]) };
  const two = [pool, pending('p1', requesting({ cpu: '3' })), pending('p2', requesting({ cpu: '3' }))];

  test('is held by one claim; the next pod waits for the next pass', () => {
    const results = schedule(two, [reserved], options);
    expect(valuesOf(results, 'karpenter.sh/capacity-type')).toEqual(['reserved']);
    expect(valuesOf(results, RESERVATION)).toEqual(['r-1']);
    expect(errors(results)).toEqual({ p2: 'ReservedOffering' });
  });

  test('does not hold up a simulation', () => {
    const results = schedule(two, [reserved], { ...options, reservedOfferingMode: 'Fallback' });
    expect(errors(results)).toEqual({});
    expect(results.newNodeClaims).toHaveLength(2);
  });
});
