import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Condition, KubeObject, Node, Pod, Taint } from '../../src/kube/objects.ts';
import { node, nodeClaim, pod } from '../factories/index.ts';
import { randomPodTerm } from './random-affinity.ts';
import { POOL_NAMES } from './random-pool.ts';
import { RACK, TIER } from './random-requirements.ts';
import { claimFor } from './random-volumes.ts';
import { randomTolerations } from './random-workload.ts';
import { APPS, type Making, ZONES } from './random-world.ts';

const FAMILIES = [
  ['c', 2],
  ['s', 4],
  ['m', 8],
] as const;

/** How far a node has come. */
type Stage = 'unmanaged' | 'running' | 'starting' | 'no node yet' | 'not launched' | 'not known by its type';

/** A node, its claim and the pods on it, in any stage of its life. */
export function randomNode(making: Making, name: string, pools: number): KubeObject[] {
  const { choices, maybe } = making;
  const stage = randomStage(making);
  const cpu = choices.pick([2, 4, 8, 16]);
  const [family, perCpu] = choices.pick(FAMILIES);
  const size = { cpu: String(cpu), memory: `${cpu * perCpu}Gi`, pods: String(cpu * 16), 'ephemeral-storage': '20Gi' };
  const capacity = { ...size, ...(maybe(0.06, 'node with a custom resource') ? { 'example.com/gpu': '2' } : {}) };
  const labels = { ...randomLabels(making, stage, name, family, cpu), ...poolLabels(making, stage, pools) };
  const taints = randomTaints(making, stage);
  const deleting = stage !== 'unmanaged' && maybe(0.12, 'node deleting', 'mixed');
  const unmanagedDeleting = stage === 'unmanaged' && maybe(0.1, 'unmanaged node deleting', 'mixed');
  // What the kubelet has not told yet is taken from the claim; what it tells may be less than was promised.
  const isSilent = stage === 'starting' && choices.chance(0.5);
  const less = maybe(0.03, 'node with less than promised') ? { cpu: `${cpu - 1}` } : {};
  let real: Node = node({
    metadata: {
      name,
      labels,
      ...(unmanagedDeleting ? { deletionTimestamp: '2026-11-30T23:00:00Z', finalizers: ['x/y'] } : {}),
    },
    spec: {
      ...(taints.length > 0 ? { taints } : {}),
      ...(stage === 'unmanaged' ? { providerID: choices.pick(['', `cloud://${name}`]) } : {}),
    },
    status: { capacity, allocatable: { ...capacity, ...less } },
  });
  if (isSilent) real = { ...real, status: {} };
  const objects: KubeObject[] = [];
  if (stage !== 'unmanaged') objects.push(claimOf(making, real, capacity, stage, deleting));
  if (stage !== 'no node yet' && stage !== 'not launched') objects.push(real, ...boundPods(making, name, cpu));
  if (maybe(0.15, 'attach limits', 'all')) objects.push(csiNode(name, choices.integer(0, 2)));
  return objects;
}

function randomStage({ choices, maybe }: Making): Stage {
  if (maybe(0.15, 'unmanaged node')) return 'unmanaged';
  if (!maybe(0.25, 'node on its way', 'mixed')) return 'running';
  const stage = choices.pick([
    'starting',
    'starting',
    'no node yet',
    'no node yet',
    'not launched',
    'not known by its type',
  ] as const);
  return stage;
}

function randomLabels(making: Making, stage: Stage, name: string, family: string, cpu: number): Record<string, string> {
  const { choices, maybe } = making;
  const arch = choices.pick(['amd64', 'arm64']);
  return {
    ...(maybe(0.05, 'node without hostname label')
      ? {}
      : { 'kubernetes.io/hostname': choices.pick([name, name, `${name}.local`]) }),
    ...(maybe(0.05, 'node without zone label') ? {} : { 'topology.kubernetes.io/zone': choices.pick(ZONES) }),
    'kubernetes.io/arch': arch,
    'kubernetes.io/os': 'linux',
    ...(stage === 'not known by its type'
      ? {}
      : { 'node.kubernetes.io/instance-type': `${family}-${cpu}x-${arch}-linux` }),
    'karpenter.kwok.sh/instance-family': family,
    'karpenter.kwok.sh/instance-cpu': String(cpu),
    ...(choices.chance(0.2) ? { team: choices.pick(['red', 'blue']) } : {}),
    ...(choices.chance(0.2) ? { [RACK]: choices.pick(['r1', 'r2']) } : {}),
    ...(choices.chance(0.15) ? { [TIER]: choices.pick(['2', '3']) } : {}),
  };
}

function poolLabels({ choices, maybe }: Making, stage: Stage, pools: number): Record<string, string> {
  if (stage === 'unmanaged') return {};
  const gone = maybe(0.04, 'node of a pool that is gone');
  return {
    'karpenter.sh/nodepool': gone ? 'gone' : (POOL_NAMES[choices.integer(0, pools - 1)] ?? ''),
    'karpenter.sh/capacity-type': choices.pick(['on-demand', 'spot']),
    ...(stage === 'not launched' ? {} : { 'karpenter.sh/registered': 'true' }),
    ...(stage === 'running' ? { 'karpenter.sh/initialized': 'true' } : {}),
  };
}

const CONDITIONS: Readonly<Record<Stage, readonly string[]>> = {
  unmanaged: [],
  running: ['Launched', 'Registered', 'Initialized', 'Ready'],
  starting: ['Launched', 'Registered'],
  'no node yet': ['Launched'],
  'not launched': [],
  'not known by its type': ['Launched'],
};

function claimOf(making: Making, real: Node, size: Record<string, string>, stage: Stage, deleting: boolean): NodeClaim {
  const { maybe } = making;
  const conditions: Condition[] = CONDITIONS[stage].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: '2026-11-29T00:00:00Z',
  }));
  if (maybe(0.03, 'instance terminating', 'mixed')) {
    conditions.push({ type: 'InstanceTerminating', status: 'True', lastTransitionTime: '2026-11-29T00:00:00Z' });
  }
  return nodeClaim({
    metadata: {
      name: real.metadata.name,
      labels: real.metadata.labels ?? {},
      ...(deleting ? { deletionTimestamp: '2026-11-30T00:00:00Z', finalizers: ['karpenter.sh/termination'] } : {}),
    },
    spec: {
      requirements: [],
      startupTaints: [{ key: 'starting', effect: 'NoSchedule' }],
      ...(maybe(0.06, 'claim with taints')
        ? { taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }] }
        : {}),
    },
    status:
      stage === 'not launched'
        ? {}
        : {
            providerID: real.spec?.providerID ?? '',
            ...(stage === 'no node yet' ? {} : { nodeName: real.metadata.name }),
            capacity: size,
            allocatable: size,
            conditions,
          },
  });
}

function randomTaints({ choices, maybe }: Making, stage: Stage): Taint[] {
  const taints: Taint[] = [];
  if (maybe(0.1, 'node taint')) {
    taints.push({
      key: 'dedicated',
      value: 'gpu',
      effect: choices.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']),
    });
  }
  if (maybe(0.04, 'cordoned node')) taints.push({ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' });
  if (maybe(0.04, 'node being disrupted', 'mixed'))
    taints.push({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' });
  if (stage === 'running' || stage === 'unmanaged') return taints;
  if (choices.chance(0.4))
    taints.push({ key: 'node.kubernetes.io/not-ready', effect: choices.pick(['NoExecute', 'NoSchedule']) });
  if (choices.chance(0.3)) taints.push({ key: 'karpenter.sh/unregistered', effect: 'NoExecute' });
  if (choices.chance(0.2)) taints.push({ key: 'readiness.k8s.io/net', effect: 'NoSchedule' });
  if (choices.chance(0.4)) taints.push({ key: 'starting', effect: 'NoSchedule' });
  return taints;
}

function boundPods(making: Making, nodeName: string, cpu: number): KubeObject[] {
  const count = making.choices.integer(0, Math.min(5, cpu));
  return Array.from({ length: count }, (_, i) => boundPod(making, nodeName, `bound-${nodeName}-${i}`)).flat();
}

function boundPod(making: Making, nodeName: string, name: string): KubeObject[] {
  const { choices, maybe } = making;
  const labels = { app: choices.pick(APPS), ...(choices.chance(0.2) ? { version: 'v1' } : {}) };
  const namespace = maybe(0.1, 'bound pods of another namespace', 'mixed') ? 'other' : 'default';
  const port = { containerPort: 80, hostPort: 8080, protocol: 'TCP' };
  const terminating = maybe(0.04, 'terminating pod', 'mixed')
    ? { deletionTimestamp: '2026-11-30T23:50:00Z', finalizers: ['x/y'] }
    : {};
  const owner = choices.pick(['ReplicaSet', 'ReplicaSet', 'ReplicaSet', 'StatefulSet', undefined]);
  const annotations: Record<string, string> = maybe(0.04, 'pod that may not be disrupted', 'mixed')
    ? { 'karpenter.sh/do-not-disrupt': 'true' }
    : {};
  const volume = maybe(0.1, 'bound pod with a volume', 'all') ? `${name}-data` : undefined;
  const tolerations = randomTolerations(making);
  const bound: Pod = pod({
    metadata: {
      name,
      namespace,
      labels,
      annotations,
      ...terminating,
      ...(owner
        ? { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: 'o', uid: 'o', controller: true }] }
        : {}),
    },
    spec: {
      nodeName,
      containers: [
        {
          name: 'main',
          image: 'pause',
          resources: { requests: { cpu: choices.pick(['100m', '250m', '500m']), memory: '128Mi' } },
          ...(maybe(0.06, 'bound host port', 'mixed') ? { ports: [port] } : {}),
        },
      ],
      ...(tolerations.length > 0 ? { tolerations } : {}),
      ...(volume ? { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: volume } }] } : {}),
      ...(maybe(0.1, 'bound anti-affinity', 'mixed')
        ? {
            affinity: {
              podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [randomPodTerm(making, labels)] },
            },
          }
        : {}),
    },
    status: { phase: choices.chance(0.9) ? 'Running' : 'Succeeded' },
  });
  return volume ? [claimFor(volume, namespace, { storageClassName: 'zonal' }, false), bound] : [bound];
}

function csiNode(name: string, count: number): KubeObject {
  const drivers = [
    { name: 'disk.example.com', nodeID: name, topologyKeys: [], allocatable: { count } },
    { name: 'ebs.csi.aws.com', nodeID: name, topologyKeys: [], ...(count > 0 ? { allocatable: { count: 1 } } : {}) },
  ];
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, ...{ spec: { drivers } } };
}
