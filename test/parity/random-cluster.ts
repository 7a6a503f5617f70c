import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { DaemonSet, KubeObject, Node, Pod, Taint } from '../../src/kube/objects.ts';
import { node, nodeClaim, pod } from '../factories/index.ts';
import { POOL_NAMES } from './random-pool.ts';
import { storageClasses } from './random-volumes.ts';
import { randomRequests } from './random-workload.ts';
import { type Making, ZONES } from './random-world.ts';

const SIZES = [2, 4, 8, 16] as const;

/** What is there already: namespaces, nodes with pods, daemons. */
export function randomCluster(making: Making, pools: number): KubeObject[] {
  const { choices, maybe } = making;
  const objects: KubeObject[] = [
    { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { tier: 'one' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    ...storageClasses(),
  ];
  if (maybe(0.5, 'existing nodes')) {
    const count = choices.integer(1, 6);
    for (let i = 0; i < count; i++) objects.push(...randomNode(making, `node-${i}`, pools));
  }
  if (maybe(0.35, 'daemonsets')) {
    const count = choices.integer(1, 2);
    for (let i = 0; i < count; i++) objects.push(randomDaemonSet(making, `daemon-${i}`));
  }
  return objects;
}

function randomNode(making: Making, name: string, pools: number): KubeObject[] {
  const { choices, maybe } = making;
  const cpu = choices.pick(SIZES);
  const [family, perCpu] = choices.pick([
    ['c', 2],
    ['s', 4],
    ['m', 8],
  ] as const);
  const arch = choices.pick(['amd64', 'arm64']);
  const managed = choices.chance(0.85);
  const initialized = !managed || !maybe(0.15, 'node starting', 'mixed');
  const deleting = managed && maybe(0.1, 'node deleting', 'mixed');
  const labels: Record<string, string> = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/zone': choices.pick(ZONES),
    'kubernetes.io/arch': arch,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': `${family}-${cpu}x-${arch}-linux`,
    'karpenter.kwok.sh/instance-family': family,
    'karpenter.kwok.sh/instance-cpu': String(cpu),
    ...(choices.chance(0.2) ? { team: 'red' } : {}),
  };
  if (managed) {
    labels['karpenter.sh/nodepool'] = POOL_NAMES[choices.integer(0, pools - 1)] ?? '';
    labels['karpenter.sh/capacity-type'] = choices.pick(['on-demand', 'spot']);
    labels['karpenter.sh/registered'] = 'true';
    if (initialized) labels['karpenter.sh/initialized'] = 'true';
  }
  const size = { cpu: String(cpu), memory: `${cpu * perCpu}Gi`, pods: String(cpu * 16), 'ephemeral-storage': '20Gi' };
  const taints = randomTaints(making, initialized);
  const real: Node = node({
    metadata: { name, labels },
    spec: { ...(taints.length > 0 ? { taints } : {}), ...(managed ? {} : { providerID: `cloud://${name}` }) },
    status: { capacity: size, allocatable: size },
  });
  const objects: KubeObject[] = [];
  if (managed) objects.push(claimOf(real, size, deleting, initialized));
  if (initialized || choices.chance(0.6)) objects.push(real, ...boundPods(making, name, cpu));
  if (maybe(0.2, 'attach limits', 'all')) objects.push(csiNode(name, choices.integer(0, 2)));
  return objects;
}

function claimOf(real: Node, size: Record<string, string>, deleting: boolean, initialized: boolean): NodeClaim {
  const types = initialized ? ['Launched', 'Registered', 'Initialized', 'Ready'] : ['Launched'];
  return nodeClaim({
    metadata: {
      name: real.metadata.name,
      labels: real.metadata.labels ?? {},
      ...(deleting ? { deletionTimestamp: '2026-11-30T00:00:00Z', finalizers: ['karpenter.sh/termination'] } : {}),
    },
    spec: { requirements: [], startupTaints: [{ key: 'starting', effect: 'NoSchedule' }] },
    status: {
      providerID: real.spec.providerID ?? '',
      nodeName: real.metadata.name,
      capacity: size,
      allocatable: size,
      conditions: types.map((type) => ({ type, status: 'True' as const, lastTransitionTime: '2026-11-29T00:00:00Z' })),
    },
  });
}

function randomTaints({ choices, maybe }: Making, initialized: boolean): Taint[] {
  const taints: Taint[] = [];
  if (maybe(0.1, 'node taint')) taints.push({ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' });
  if (!initialized && choices.chance(0.5)) taints.push({ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' });
  if (!initialized && choices.chance(0.5)) taints.push({ key: 'starting', effect: 'NoSchedule' });
  return taints;
}

function boundPods(making: Making, nodeName: string, cpu: number): Pod[] {
  const { choices, maybe } = making;
  const count = choices.integer(0, Math.min(5, cpu));
  return Array.from({ length: count }, (_, i) => {
    const requests = randomRequests(making);
    const app = choices.pick(['web', 'api', 'db', 'job']);
    const term = {
      topologyKey: choices.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']),
      labelSelector: { matchLabels: { app } },
    };
    return pod({
      metadata: {
        name: `bound-${nodeName}-${i}`,
        labels: { app },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true }],
      },
      spec: {
        nodeName,
        containers: [{ name: 'main', image: 'pause', resources: { requests: { ...requests, cpu: '250m' } } }],
        ...(maybe(0.08, 'bound anti-affinity', 'mixed')
          ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
          : {}),
      },
      status: { phase: choices.chance(0.9) ? 'Running' : 'Succeeded' },
    });
  });
}

function randomDaemonSet(making: Making, name: string): DaemonSet {
  const { choices, maybe } = making;
  const labels = { daemon: name };
  const nodeSelector = choices.pick<Record<string, string> | undefined>([
    undefined,
    undefined,
    { 'kubernetes.io/arch': 'amd64' },
    { 'karpenter.kwok.sh/instance-family': 'm' },
    { 'karpenter.sh/initialized': 'true' },
  ]);
  const ports = maybe(0.2, 'daemon host port', 'mixed')
    ? [{ containerPort: 80, hostPort: 8080, protocol: 'TCP' }]
    : undefined;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'pause',
              resources: choices.chance(0.8)
                ? { requests: randomRequests(making) }
                : { limits: { cpu: '200m', memory: '128Mi' } },
              ...(ports ? { ports } : {}),
            },
          ],
          ...(nodeSelector ? { nodeSelector } : {}),
          ...(choices.chance(0.5) ? { tolerations: [{ operator: 'Exists' }] } : {}),
        },
      },
    },
  };
}

function csiNode(name: string, count: number): KubeObject {
  const drivers = [{ name: 'disk.example.com', nodeID: name, topologyKeys: [], allocatable: { count } }];
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, ...{ spec: { drivers } } };
}
