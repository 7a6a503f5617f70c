/** What the cases of known-faults*.test.ts are made of. */
import type { KubeObject, PodSpec, TopologySpreadConstraint } from '../../src/kube/objects.ts';
import { node, nodePool, pod, requesting, unschedulablePod } from '../factories/index.ts';
import { HOSTNAME, instanceType, ZONE } from './schedule.ts';

export const zones = (...names: string[]) => [{ key: ZONE, operator: 'In' as const, values: names }];
export const pool = (name: string, requirements: ReturnType<typeof zones> = [], rest: object = {}) =>
  nodePool({ metadata: { name }, spec: { template: { spec: { requirements } }, ...rest } });
export const spread = (rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  topologyKey: ZONE,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'a' } },
  ...rest,
});
export const pending = (name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = { app: 'a' }) =>
  unschedulablePod({ metadata: { name, labels }, spec: { ...requesting({ cpu: '1', memory: '1Gi' }), ...spec } });
export const soldIn = (...names: string[]) => names.map((zone) => ({ zone }));
export const SMALL = { cpu: '4', memory: '16Gi' };
export const inZones = (...names: string[]) => instanceType('small', SMALL, soldIn(...names));
export const runningIn = (zone: string, name: string, labels: Readonly<Record<string, string>> = {}) => [
  node({
    metadata: { name, labels: { [HOSTNAME]: name, [ZONE]: zone, ...labels } },
    spec: { providerID: `x://${name}` },
    status: { allocatable: { cpu: '1', memory: '1Gi', pods: '1' } },
  }),
  pod({
    metadata: { name: `on-${name}`, labels: { app: 'a' } },
    spec: { nodeName: name },
    status: { phase: 'Running' },
  }),
];
export const claimOf = (name: string, volumeName: string, zone: string): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    ...{ spec: { volumeName } },
  },
  volume(volumeName, [{ key: ZONE, values: [zone] }]),
];
export const volume = (name: string, terms: readonly { key: string; values: readonly string[] }[]): KubeObject => ({
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
export const withClaim = (claimName: string): Partial<PodSpec> => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});
