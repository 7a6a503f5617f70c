import { expect, test } from 'vitest';
import type { KubeObject, Pod } from '../../src/kube/objects.ts';
import { node, nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { merge, type Overrides } from '../factories/merge.ts';
import { instanceType, schedule, ZONE } from './schedule.ts';

const TYPES = [
  instanceType('big', { cpu: '100', memory: '100Gi', pods: '110' }, [{ zone: 'a' }, { zone: 'b' }, { zone: 'c' }]),
];
const waiting = (spec: Overrides<Pod['spec']> = {}, labels = {}): Pod =>
  unschedulablePod({ metadata: { labels }, spec: merge(requesting({ cpu: '1' }), spec) });
const zones = (...objects: readonly KubeObject[]) =>
  Object.fromEntries(schedule([nodePool(), ...objects], TYPES, { effectiveZones: true }).effectiveZones ?? []);

const spread = (labels: Record<string, string>) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: { matchLabels: labels },
    },
  ],
});
const near = (kind: 'podAffinity' | 'podAntiAffinity', labels: Record<string, string>) => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: ZONE, labelSelector: { matchLabels: labels } }],
    },
  },
});
const inZone = (...values: string[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In' as const, values }] }],
      },
    },
  },
});
const LABELS = { app: 'x' };
const place = (zone: string): KubeObject[] => [
  node({ metadata: { name: `n-${zone}`, labels: { [ZONE]: zone } } }),
  { ...waiting({ nodeName: `n-${zone}` }, LABELS), status: { phase: 'Running' } } as KubeObject,
];
const claimed = (...values: string[]): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName: 'pv' },
  } as KubeObject,
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: {
      csi: { driver: 'd', volumeHandle: 'h' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values }] }] },
      },
    },
  } as KubeObject,
];
const withVolume = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };

test.each([
  ['nothing', [waiting()], { flexible: 1 }],
  ['one zone of its own', [waiting({ nodeSelector: { [ZONE]: 'a' } }), waiting()], { a: 1, flexible: 1 }],
  ['several zones of its own', [waiting(inZone('a', 'b'))], { flexible: 1 }],
  ['a volume in one zone', [...claimed('b'), waiting(withVolume)], { b: 1 }],
  ['a volume in several zones', [...claimed('b', 'c'), waiting(withVolume)], { flexible: 1 }],
  [
    'a volume and zones that share one',
    [...claimed('b', 'c'), waiting({ ...withVolume, ...inZone('a', 'b') })],
    { b: 1 },
  ],
  ['a volume elsewhere than its zone', [...claimed('b'), waiting({ ...withVolume, ...inZone('a') })], { none: 1 }],
  ['a spread that leaves one zone', [...place('a'), ...place('b'), waiting(spread(LABELS), LABELS)], { c: 1 }],
  ['a spread that leaves several', [...place('a'), waiting(spread(LABELS), LABELS)], { flexible: 1 }],
  [
    'a spread that leaves none of its zones',
    [...place('a'), waiting({ ...spread(LABELS), ...inZone('a', 'b') }, LABELS)],
    { b: 1 },
  ],
  ['an affinity to pods of one zone', [...place('b'), waiting(near('podAffinity', LABELS))], { b: 1 }],
  ['an affinity to pods that are nowhere', [waiting(near('podAffinity', { app: 'none' }))], { none: 1 }],
  [
    'an anti-affinity that leaves one zone',
    [...place('a'), ...place('c'), waiting(near('podAntiAffinity', LABELS))],
    { b: 1 },
  ],
] as const)('4.11.15: a pod that waits is counted by its zone: %s', (_what, objects, counts) => {
  expect(zones(...objects)).toEqual(counts);
});

test('4.11.15: only pods that are pending count, each of equal ones, and only when that is asked for', () => {
  const alike = () => waiting({ nodeSelector: { [ZONE]: 'a' } });
  const running = { ...waiting(), status: { ...waiting().status, phase: 'Running' } } as Pod;
  expect(zones(alike(), alike(), running)).toEqual({ a: 2 });
  expect(schedule([nodePool(), alike()], TYPES).effectiveZones).toBeUndefined();
});
