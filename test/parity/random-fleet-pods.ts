import type { Affinity, DaemonSet, KubeObject, OwnerReference, PodSpec } from '../../src/kube/objects.ts';
import { pod } from '../factories/index.ts';
import type { FleetMaking } from './random-fleet-making.ts';
import type { Making } from './random-world.ts';
import { ZONES } from './random-world.ts';

export const APPS = ['web', 'api', 'db', 'job'];

/** The node that pods run on. */
export interface Home {
  readonly name: string;
  readonly cpu: number;
  readonly zone: string;
}

/** Up to eight pods, as many as fit, and what they store. */
export function podsOn(making: FleetMaking, home: Home): KubeObject[] {
  const { choices, tight } = making;
  if (tight) return fewLargePods(making, home);
  let free = home.cpu * 1000 * choices.pick([0.1, 0.2, 0.5, 0.95]);
  const objects: KubeObject[] = [];
  for (let i = 0; i < 8 && free > 100; i++) {
    const cpu = choices.pick([100, 250, 500, 1000, 2000]);
    if (cpu > free) break;
    free -= cpu;
    objects.push(...runningPod(making, home, i, cpu));
  }
  return objects;
}

/** Small nodes are full; what large ones have fits on no small node, but on a new one that is smaller. */
function fewLargePods(making: FleetMaking, home: Home): KubeObject[] {
  const { choices } = making;
  const shares = choices.pick(
    home.cpu > 8
      ? [[0.2], [0.35], [0.45], [0.2, 0.2], [0.15, 0.15, 0.15], [0.6]]
      : [[0.9], [0.95], [0.45, 0.45], [0.6]],
  );
  return shares.flatMap((share, i) => runningPod(making, home, i, Math.round(home.cpu * 1000 * share)));
}

function runningPod(making: FleetMaking, home: Home, index: number, cpu: number): KubeObject[] {
  const { choices, maybe, rare } = making;
  const app = choices.pick(APPS);
  const name = `${home.name}-${index}`;
  const namespace = maybe(0.08, 'running pod elsewhere', 'mixed') ? 'other' : 'default';
  const owners = ownersOf(making);
  const storage = maybe(0.2, 'running pod with a volume', 'all')
    ? boundVolume(making, name, namespace, home)
    : undefined;
  const mem = !making.tight && maybe(0.3, 'pods heavy on memory') ? cpu * 3 : cpu;
  const phase = rare(0.05, 'ended pod') ? choices.pick(['Succeeded', 'Failed']) : 'Running';
  const terminating = rare(0.04, 'terminating pod')
    ? {
        deletionTimestamp: choices.pick(['2026-11-30T23:59:50Z', '2026-11-30T20:00:00Z']),
        finalizers: ['example.com/slow'],
      }
    : {};
  return [
    ...(storage?.objects ?? []),
    pod({
      metadata: {
        name,
        namespace,
        labels: { app },
        annotations: annotationsOf(making),
        ...(owners.length > 0 ? { ownerReferences: owners } : {}),
        ...terminating,
      },
      spec: {
        nodeName: home.name,
        ...(maybe(0.12, 'priority')
          ? { priority: choices.pick([-2147483648, -100, 1000, 1000000000, 2000000000]) }
          : {}),
        containers: [
          {
            name: 'main',
            image: 'pause',
            resources: { requests: { cpu: `${cpu}m`, memory: `${mem}Mi` } },
            ...(maybe(0.04, 'host port of a running pod', 'mixed')
              ? { ports: [{ containerPort: 80, hostPort: choices.pick([8080, 9090]), protocol: 'TCP' }] }
              : {}),
          },
        ],
        ...(rare(0.05, 'pod tolerates disruption')
          ? { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] }
          : maybe(0.1, 'running pod with tolerations')
            ? { tolerations: [{ key: 'dedicated', operator: 'Exists' }] }
            : {}),
        ...(making.tight && choices.chance(0.7) ? {} : placement(making, app, home)),
        ...(storage ? { volumes: storage.volumes } : {}),
      },
      status: {
        phase,
        ...(maybe(0.03, 'pod without a start time') ? {} : { startTime: '2026-11-30T23:30:00Z' }),
        conditions: [{ type: 'Ready', status: choices.chance(0.9) ? 'True' : 'False' }],
      },
    }),
  ];
}

function ownersOf({ choices, maybe, rare }: FleetMaking): OwnerReference[] {
  const owner = (apiVersion: string, kind: string): OwnerReference[] => [
    { apiVersion, kind, name: 'owner', uid: 'owner', controller: true },
  ];
  if (rare(0.08, 'daemon pod')) return owner('apps/v1', 'DaemonSet');
  if (rare(0.04, 'mirror pod')) return owner('v1', 'Node');
  if (maybe(0.08, 'pod without an owner')) return [];
  return choices.chance(0.2) ? owner('apps/v1', 'StatefulSet') : owner('apps/v1', 'ReplicaSet');
}

function annotationsOf({ choices, maybe, rare }: FleetMaking): Record<string, string> {
  const annotations: Record<string, string> = {};
  if (rare(0.03, 'pod do-not-disrupt')) {
    annotations['karpenter.sh/do-not-disrupt'] = choices.pick([
      'true',
      '1h',
      '30m5s',
      '30m',
      '720h',
      'x',
      'false',
      '-1h',
    ]);
  }
  if (maybe(0.1, 'deletion cost')) {
    annotations['controller.kubernetes.io/pod-deletion-cost'] = choices.pick([
      '-2147483648',
      '-134217728',
      '-1000000',
      '100000000',
      '2147483647',
      'x',
      '',
    ]);
  } else if (!maybe(0.1, 'nodes that cost the same to disrupt')) {
    // A little different everywhere, so that the order of candidates is no matter of luck.
    annotations['controller.kubernetes.io/pod-deletion-cost'] = String(choices.integer(-500_000, 500_000));
  }
  return annotations;
}

/** Rules about where the pod may go when it has to move. */
function placement({ choices, maybe }: Making, app: string, home: Home): Partial<PodSpec> {
  const term = {
    topologyKey: choices.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']),
    labelSelector: { matchLabels: { app: choices.chance(0.7) ? app : choices.pick(APPS) } },
  };
  const preferred = [{ weight: 1, podAffinityTerm: term }];
  const affinity: { -readonly [K in keyof Affinity]: Affinity[K] } = {};
  if (maybe(0.06, 'running anti-affinity', 'mixed')) {
    affinity.podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  } else if (maybe(0.05, 'running preferred anti-affinity', 'mixed')) {
    affinity.podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
  }
  if (maybe(0.05, 'running affinity', 'mixed')) {
    affinity.podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  } else if (maybe(0.04, 'running preferred affinity', 'mixed')) {
    affinity.podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
  }
  if (maybe(0.06, 'running node affinity', 'mixed')) {
    const zones = choices.chance(0.7) ? [home.zone, choices.pick(ZONES)] : choices.some(ZONES, 2);
    const matchExpressions = [{ key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: zones }];
    affinity.nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    };
  }
  const selector = maybe(0.1, 'running node selector')
    ? choices.pick<Record<string, string>>([
        { 'kubernetes.io/arch': 'amd64' },
        { 'karpenter.sh/capacity-type': 'on-demand' },
        { 'karpenter.sh/capacity-type': 'spot' },
        { 'karpenter.kwok.sh/instance-family': choices.pick(['c', 's', 'm']) },
        { 'topology.kubernetes.io/zone': home.zone },
      ])
    : undefined;
  return {
    ...(Object.keys(affinity).length > 0 ? { affinity } : {}),
    ...(selector ? { nodeSelector: selector } : {}),
    ...(maybe(0.08, 'running spread', 'mixed')
      ? {
          topologySpreadConstraints: [
            {
              ...term,
              maxSkew: choices.integer(1, 2),
              whenUnsatisfiable: choices.pick(['DoNotSchedule', 'ScheduleAnyway']),
            },
          ],
        }
      : {}),
  };
}

/** A volume in use: in the node's zone, which its pod can't leave, or in a network that is everywhere. */
function boundVolume({ choices, maybe }: Making, podName: string, namespace: string, home: Home) {
  const name = `${podName}-data`;
  const zonal = maybe(0.7, 'running pod with a zonal volume', 'all');
  const terms = [
    { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [home.zone || ZONES[0]] }] },
  ];
  const objects: KubeObject[] = [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${name}` },
      ...{
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: choices.chance(0.8) ? 'disk.example.com' : 'net.example.com', volumeHandle: name },
          ...(zonal ? { nodeAffinity: { required: { nodeSelectorTerms: terms } } } : {}),
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      ...{
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          volumeName: `pv-${name}`,
          storageClassName: choices.pick(['anywhere', 'zonal']),
        },
      },
    },
  ];
  return { objects, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] };
}

export function fleetDaemonSet({ choices }: Making): DaemonSet {
  const labels = { daemon: 'agent' };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'main', image: 'pause', resources: { requests: { cpu: choices.pick(['50m', '200m', '1']) } } },
          ],
          ...(choices.chance(0.3) ? { nodeSelector: { 'kubernetes.io/arch': 'amd64' } } : {}),
          ...(choices.chance(0.7) ? { tolerations: [{ operator: 'Exists' }] } : {}),
        },
      },
    },
  };
}
