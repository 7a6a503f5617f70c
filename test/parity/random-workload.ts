import type { KubeObject, Pod, PodSpec, Toleration } from '../../src/kube/objects.ts';
import { unschedulablePod } from '../factories/index.ts';
import { randomAffinity, randomSpread } from './random-affinity.ts';
import { RACK, TIER } from './random-requirements.ts';
import { randomVolumes, withVolumes } from './random-volumes.ts';
import { APPS, type Making, ZONES } from './random-world.ts';

/** The pods of one workload, alike but for their names, and the storage they need. */
export function randomWorkload(making: Making, index: number): KubeObject[] {
  const { choices, maybe } = making;
  const replicas = choices.integer(1, making.level === 'simple' ? 14 : 8);
  const labels: Record<string, string> = { app: choices.pick(APPS) };
  if (choices.chance(0.3)) labels.version = choices.pick(['v1', 'v2']);
  if (choices.chance(0.2)) labels.tenant = choices.pick(['t1', 't2']);
  const namespace = maybe(0.15, 'several namespaces', 'mixed') ? 'other' : 'default';
  const spec = randomSpec(making, labels);
  const objects: KubeObject[] = [];
  for (let i = 0; i < replicas; i++) {
    const name = `w${index}-${i}`;
    const storage = maybe(0.3, 'volumes', 'all') ? randomVolumes(making, name, namespace) : undefined;
    const own = storage ? withVolumes(spec, storage.volumes) : spec;
    objects.push(...(storage?.objects ?? []), pendingPod(making, name, namespace, labels, own));
  }
  return objects;
}

function pendingPod(
  making: Making,
  name: string,
  namespace: string,
  labels: Record<string, string>,
  spec: PodSpec,
): Pod {
  const { choices, maybe } = making;
  const minute = String(choices.integer(0, 59)).padStart(2, '0');
  const created = maybe(0.2, 'pods of different age') ? { creationTimestamp: `2026-11-30T22:${minute}:00Z` } : {};
  const pod = unschedulablePod({ metadata: { name, namespace, labels, ...created } });
  if (maybe(0.02, 'pods that don’t wait', 'mixed')) return choices.pick(notWaiting(pod, spec));
  return { ...pod, spec };
}

/** Pods that no node is to be found for, though they have none. */
function notWaiting(pod: Pod, spec: PodSpec): Pod[] {
  const owned = (apiVersion: string, kind: string): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, ownerReferences: [{ apiVersion, kind, name: 'o', uid: 'o', controller: true }] },
    spec,
  });
  return [
    owned('apps/v1', 'DaemonSet'),
    owned('v1', 'Node'),
    { ...pod, spec, status: { ...pod.status, nominatedNodeName: 'node-0' } },
    { ...pod, spec, status: { phase: 'Pending' } },
    {
      ...pod,
      spec: { ...spec, schedulingGates: [{ name: 'example.com/wait' }] },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
      },
    } as Pod,
    { ...pod, spec: { ...spec, schedulerName: 'another' } } as Pod,
    { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-11-30T23:59:00Z', finalizers: ['x/y'] }, spec },
  ];
}

export function randomRequests({ choices, maybe }: Making): Record<string, string> {
  const requests: Record<string, string> = {};
  if (choices.chance(0.95))
    requests.cpu = choices.pick(['50m', '100m', '250m', '500m', '900m', '1', '1500m', '2', '3', '6']);
  if (choices.chance(0.9))
    requests.memory = choices.pick(['64Mi', '128Mi', '500M', '512Mi', '1Gi', '2Gi', '3Gi', '8Gi', '20Gi']);
  if (maybe(0.05, 'ephemeral storage')) requests['ephemeral-storage'] = choices.pick(['1Gi', '5Gi', '30Gi']);
  if (maybe(0.02, 'custom resource')) requests['example.com/gpu'] = choices.pick(['1', '2']);
  return requests;
}

export function randomSpec(making: Making, labels: Record<string, string>): PodSpec {
  const { choices, maybe } = making;
  const container = (name: string) => ({
    name,
    image: 'pause',
    resources: maybe(0.04, 'limits without requests')
      ? { limits: { cpu: '700m', memory: '300Mi' } }
      : { requests: randomRequests(making) },
  });
  const ports = maybe(0.06, 'host ports', 'mixed') ? [randomPort(making)] : undefined;
  const nodeSelector = randomNodeSelector(making);
  const affinity = randomAffinity(making, labels);
  const tolerations = randomTolerations(making);
  const spread = randomSpread(making, labels);
  return {
    containers: [
      { ...container('main'), ...(ports ? { ports } : {}) },
      ...(maybe(0.1, 'several containers') ? [container('second')] : []),
    ],
    ...(maybe(0.08, 'init containers')
      ? { initContainers: [{ ...container('init'), ...(choices.chance(0.4) ? { restartPolicy: 'Always' } : {}) }] }
      : {}),
    ...(maybe(0.04, 'pod overhead') ? { overhead: { cpu: '100m', memory: '64Mi' } } : {}),
    ...(maybe(0.04, 'pod-level resources') ? { resources: { requests: { cpu: '2', memory: '3Gi' } } } : {}),
    ...(maybe(0.1, 'priority') ? { priority: choices.pick([-10, 1000, 1000000]) } : {}),
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(affinity ? { affinity } : {}),
    ...(tolerations.length > 0 ? { tolerations } : {}),
    ...(spread.length > 0 ? { topologySpreadConstraints: spread } : {}),
    ...(maybe(0.02, 'resource claims', 'all') ? { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } : {}),
  };
}

export function randomPort({ choices }: Making) {
  return {
    containerPort: 80,
    hostPort: choices.pick([8080, 8080, 9090, 0]),
    protocol: choices.pick(['TCP', 'TCP', 'UDP']),
    hostIP: choices.pick(['', '10.0.0.1', '0.0.0.0', '::']),
  };
}

function randomNodeSelector({ choices, maybe }: Making): Record<string, string> | undefined {
  if (maybe(0.02, 'restricted label asked for', 'mixed')) return { 'karpenter.sh/registered': 'true' };
  if (!maybe(0.25, 'node selector')) return undefined;
  return choices.pick<Record<string, string>>([
    { 'topology.kubernetes.io/zone': choices.pick(ZONES) },
    { 'failure-domain.beta.kubernetes.io/zone': choices.pick(ZONES) },
    { 'kubernetes.io/arch': choices.pick(['amd64', 'arm64']) },
    { 'karpenter.sh/capacity-type': choices.pick(['spot', 'on-demand', 'reserved']) },
    { 'karpenter.kwok.sh/instance-family': choices.pick(['c', 's', 'm']) },
    { team: choices.pick(['red', 'blue']) },
    { team: 'red', 'kubernetes.io/arch': 'amd64' },
    { 'kubernetes.io/os': choices.pick(['linux', 'linux', 'windows']) },
    { 'karpenter.sh/nodepool': choices.pick(['alpha', 'beta']) },
    { [RACK]: 'r1' },
    { [TIER]: choices.pick(['2', '3']) },
    { 'node.kubernetes.io/instance-type': choices.pick(['c-4x-amd64-linux', 's-8x-arm64-linux', 'none']) },
  ]);
}

export function randomTolerations(making: Making): Toleration[] {
  const { choices, maybe } = making;
  if (!maybe(0.25, 'tolerations')) return [];
  return [
    choices.pick<Toleration>([
      { key: 'dedicated', operator: 'Exists' },
      { key: 'dedicated', operator: 'Exists', effect: choices.pick(['NoSchedule', 'NoExecute']) },
      { key: 'dedicated', operator: 'Equal', value: choices.pick(['gpu', 'batch']), effect: 'NoSchedule' },
      { key: 'dedicated', value: 'gpu' },
      { operator: 'Exists' },
      { operator: 'Exists', effect: 'NoSchedule' },
      { key: 'soft', operator: 'Exists' },
      { key: 'soft', operator: 'Exists', effect: 'PreferNoSchedule' },
      { key: 'dedicated', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ]),
  ];
}
