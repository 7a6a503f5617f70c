import { expect, test } from 'vitest';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import type { KubeObject, Pod, PodSpec } from '../../src/kube/objects.ts';
import type { InstanceType, Reason } from '../../src/scheduling/index.ts';
import { node, nodePool, pod, requesting, unschedulablePod } from '../factories/index.ts';
import { HOSTNAME, instanceType, schedule, ZONE } from './schedule.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const TYPES = genericInstanceTypes().map(toInstanceType);

function asking(spec: Partial<PodSpec>, cpu = '1'): Pod {
  return unschedulablePod({
    metadata: { name: 'asked', labels: { app: 'web' } },
    spec: { ...requesting({ cpu }), ...spec },
  });
}

/** Pool → every reason. */
function reasons(
  objects: readonly KubeObject[],
  types: readonly InstanceType[] = TYPES,
): Record<string, readonly Reason[]> {
  const results = schedule(objects, types);
  const [, error] = [...results.podErrors].find(([{ metadata }]) => metadata.name === 'asked') ?? [];
  const pools = error?.targets?.filter(({ kind }) => kind === 'NodePool') ?? [];
  return Object.fromEntries(pools.map((target) => [target.name, target.reasons]));
}

const pool = (name: string, requirements: readonly [string, string][] = [], template: object = {}) =>
  nodePool({
    metadata: { name },
    spec: {
      template: {
        spec: {
          requirements: requirements.map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
          ...template,
        },
      },
    },
  });

test('every rule of a pool is told with both sides, and the pool with the fewest comes first', () => {
  const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
  const found = reasons([
    pool(
      'far',
      [
        ['kubernetes.io/arch', 'amd64'],
        ['kubernetes.io/os', 'linux'],
      ],
      { taints },
    ),
    pool('near', [['kubernetes.io/arch', 'amd64']]),
    asking({ nodeSelector: { 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'windows' } }),
  ]);
  expect(
    Object.entries(found).map(([name, list]) => [name, list.map(({ code, pod: a, other }) => [code, a, other])]),
  ).toEqual([
    ['near', [['RequirementsIncompatible', 'kubernetes.io/arch In [arm64]', 'kubernetes.io/arch In [amd64]']]],
    [
      'far',
      [
        ['TaintNotTolerated', undefined, 'gpu:NoSchedule'],
        ['RequirementsIncompatible', 'kubernetes.io/arch In [arm64]', 'kubernetes.io/arch In [amd64]'],
        ['RequirementsIncompatible', 'kubernetes.io/os In [windows]', 'kubernetes.io/os In [linux]'],
      ],
    ],
  ]);
});

test('the funnel goes through architecture, zone and size, and says which daemon takes how much', () => {
  const labels = { app: 'agent' };
  const agent = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: requesting({ cpu: '500m' }) } },
  };
  const [found] =
    reasons([
      pool('p', [[ZONE, 'test-zone-a']]),
      agent,
      asking({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, '256'),
    ]).p ?? [];
  expect(found).toMatchObject({
    code: 'InsufficientResources',
    funnel: [
      { step: 'instance types', left: 144 },
      { step: 'kubernetes.io/arch', left: 72, asked: 'In [arm64]' },
      { step: 'size', left: 0 },
    ],
    size: {
      pod: { cpu: '256' },
      daemons: [{ name: 'default/agent', requests: { cpu: '500m' } }],
      most: { cpu: '255900m' },
    },
  });
});

test('what is sold out is told apart from what is too small, with the time when it is tried again', () => {
  const plain = instanceType('m', { cpu: '8', memory: '8Gi', pods: '10' }, [
    { price: 2, available: false, zone: 'zone-b' },
    { price: 1, available: false },
  ]);
  const until = Date.parse('2026-12-01T14:03:00Z');
  const sold = {
    ...plain,
    offerings: plain.offerings.map((o, i) => (i === 1 ? { ...o, unavailableUntil: until } : o)),
  };
  const [found] = reasons([pool('p'), asking({})], [sold, instanceType('s', { cpu: '1', pods: '10' })]).p ?? [];
  expect(found).toMatchObject({
    code: 'NoOffering',
    funnel: [
      { step: 'instance types', left: 2 },
      { step: 'size', left: 1 },
      { step: 'on sale', left: 0 },
    ],
    soldOut: [
      { instanceType: 'm', zone: 'zone-a', capacityType: 'on-demand', until: '2026-12-01T14:03:00Z' },
      { instanceType: 'm', zone: 'zone-b', capacityType: 'on-demand' },
    ],
  });
});

test('a limit is named as a limit, with what a node would take of it', () => {
  const limited = nodePool({ metadata: { name: 'p' }, spec: { limits: { cpu: '4' } } });
  const [found] = reasons([limited, asking({}, '6')]).p ?? [];
  expect(found).toMatchObject({ code: 'NodePoolLimit', subject: 'cpu', other: 'cpu 4 of 4' });
  expect(found?.pod).toMatch(/^cpu 8 \(/);
});

test('of a limit, what nodes that are planned already take is told apart', () => {
  const limited = nodePool({ metadata: { name: 'p' }, spec: { limits: { cpu: '8' } } });
  const types = ['2', '8'].map((cpu) => instanceType(`c${cpu}`, { cpu, pods: '1' }));
  const earlier = unschedulablePod({ metadata: { name: 'earlier' }, spec: requesting({ cpu: '1500m' }) });
  const [found] = reasons([limited, earlier, asking({})], types).p ?? [];
  expect(found).toMatchObject({ code: 'NodePoolLimit', pod: 'cpu 2 (c2)', other: 'cpu 0 of 8', planned: 'cpu 8' });
});

test('minValues is told with what is asked for and what there is', () => {
  const varied = nodePool({
    metadata: { name: 'p' },
    spec: { template: { spec: { requirements: [{ key: TYPE, operator: 'Exists', minValues: 3 }] } } },
  });
  const types = ['1', '4', '8'].map((cpu) => instanceType(`c${cpu}`, { cpu, pods: '10' }));
  const [found] = reasons([varied, asking({}, '2')], types).p ?? [];
  expect(found).toMatchObject({ code: 'MinValues', subject: TYPE, pod: '2', other: '3' });
});

const zonal = (name: string, zone: string) =>
  node({
    metadata: { name, labels: { [ZONE]: zone, [HOSTNAME]: name } },
    status: { allocatable: { cpu: '1', pods: '9' } },
  });
const web = (name: string, nodeName: string, spec: Partial<PodSpec> = {}) =>
  pod({
    metadata: { name, labels: { app: 'web' } },
    spec: { nodeName, ...requesting({ cpu: '1' }), ...spec },
    status: { phase: 'Running' },
  });
const selector = { matchLabels: { app: 'web' } };

test('a spread shows its counts, its pods, and why the only domain that is left is out of reach', () => {
  const constraint = {
    topologyKey: ZONE,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: selector,
  } as const;
  const found = reasons([
    pool('p', [[ZONE, 'test-zone-a']]),
    pool('other', [[ZONE, 'test-zone-b']], { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
    zonal('a', 'test-zone-a'),
    zonal('b', 'test-zone-b'),
    web('web-1', 'a'),
    asking({ topologySpreadConstraints: [constraint] }, '2'),
  ]).p;
  expect(found).toMatchObject([
    {
      code: 'TopologySpread',
      topology: {
        key: ZONE,
        selector: 'app=web',
        maxSkew: 1,
        ofOthers: false,
        domains: [
          { domain: 'test-zone-a', count: 1, pods: ['default/web-1'], allowed: false },
          { domain: 'test-zone-b', count: 0, pods: [], allowed: true, unreachable: 'the pool has In [test-zone-a]' },
        ],
      },
    },
  ]);
});

test('an affinity shows where its pods are, and an anti-affinity the pod that stands in the way', () => {
  const term = { topologyKey: ZONE, labelSelector: selector };
  const together = asking({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
  const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  const objects = [pool('p', [[ZONE, 'test-zone-a']]), zonal('a', 'test-zone-a'), zonal('b', 'test-zone-b')];
  expect(reasons([...objects, web('web-1', 'b'), together]).p?.[0]?.topology).toMatchObject({
    rule: 'PodAffinity',
    domains: expect.arrayContaining([
      {
        domain: 'test-zone-b',
        count: 1,
        pods: ['default/web-1'],
        allowed: true,
        unreachable: 'the pool has In [test-zone-a]',
      },
    ]),
  });
  expect(reasons([...objects, web('loner', 'a', apart), asking({}, '2')]).p?.[0]?.topology).toMatchObject({
    rule: 'PodAntiAffinity',
    ofOthers: true,
    domains: expect.arrayContaining([{ domain: 'test-zone-a', count: 1, pods: ['default/loner'], allowed: false }]),
  });
});

test('pods that were placed after the asked one was first tried are among those that stand in its way', () => {
  const term = { topologyKey: ZONE, labelSelector: selector };
  const apart = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const asked = asking({ affinity: apart }, '2');
  const later = unschedulablePod({
    metadata: { name: 'web-2', labels: { app: 'web' } },
    spec: requesting({ cpu: '1' }),
  });
  const objects = [pool('p', [[ZONE, 'test-zone-a']]), zonal('a', 'test-zone-a'), web('web-1', 'a'), asked, later];
  const { podErrors } = schedule(objects, TYPES, { reasonsFor: asked });
  const [error] = podErrors.values();
  const [rule] = error?.targets?.[0]?.reasons ?? [];
  expect(rule?.topology?.domains).toMatchObject([
    { domain: 'test-zone-a', count: 2, pods: ['default/web-1', 'default/web-2'] },
  ]);
});

test('a volume is named with its claim when the pool is elsewhere', () => {
  const required = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['test-zone-c'] }] }],
  };
  const objects: KubeObject[] = [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1' },
      spec: { nodeAffinity: { required } },
    } as KubeObject,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: 'pv-1' },
    } as KubeObject,
  ];
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  expect(reasons([...objects, pool('p', [[ZONE, 'test-zone-a']]), asking({ volumes })]).p).toMatchObject([
    {
      code: 'VolumeTopology',
      pod: `${ZONE} In [test-zone-c]`,
      other: `${ZONE} In [test-zone-a]`,
      objects: ['PersistentVolumeClaim/default/data', 'PersistentVolume/pv-1'],
    },
  ]);
});

test('pools that take part in no pass are listed with why', () => {
  const broken = nodePool({
    metadata: { name: 'broken' },
    status: { conditions: [{ type: 'Ready', status: 'False', message: 'node class not found' }] },
  });
  const fixed = nodePool({ metadata: { name: 'fixed' }, spec: { replicas: 2 } });
  const found = reasons([broken, fixed, asking({})]);
  expect(found.broken?.[0]).toEqual({
    code: 'NodePoolNotReady',
    message: 'the pool is not ready: node class not found',
  });
  expect(found.fixed?.[0]?.message).toContain('static pool');
});
