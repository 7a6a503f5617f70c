import type {
  Affinity,
  KubeObject,
  LabelSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../../src/kube/objects.ts';
import { unschedulablePod } from '../factories/index.ts';
import { randomVolumes } from './random-volumes.ts';
import { type Making, ZONES } from './random-world.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const APPS = ['web', 'api', 'db', 'job'];

/** The pods of one workload, alike but for their names, and the storage they need. */
export function randomWorkload(making: Making, index: number): KubeObject[] {
  const { choices, maybe } = making;
  const replicas = choices.integer(1, making.level === 'simple' ? 14 : 8);
  const labels: Record<string, string> = { app: choices.pick(APPS) };
  if (choices.chance(0.3)) labels.version = choices.pick(['v1', 'v2']);
  const namespace = maybe(0.15, 'several namespaces', 'mixed') ? 'other' : 'default';
  const spec = randomSpec(making, labels);
  const objects: KubeObject[] = [];
  for (let i = 0; i < replicas; i++) {
    const name = `w${index}-${i}`;
    const storage = maybe(0.3, 'volumes', 'all') ? randomVolumes(making, name, namespace) : undefined;
    objects.push(...(storage?.objects ?? []), pendingPod(name, namespace, labels, { ...spec, ...storage?.spec }));
  }
  return objects;
}

function pendingPod(name: string, namespace: string, labels: Record<string, string>, spec: PodSpec): Pod {
  const pod = unschedulablePod({ metadata: { name, namespace, labels } });
  return { ...pod, spec };
}

export function randomRequests({ choices, maybe }: Making): Record<string, string> {
  const requests: Record<string, string> = {};
  if (choices.chance(0.95))
    requests.cpu = choices.pick(['50m', '100m', '250m', '500m', '900m', '1', '1500m', '2', '3', '6']);
  if (choices.chance(0.9))
    requests.memory = choices.pick(['64Mi', '128Mi', '500M', '512Mi', '1Gi', '2Gi', '3Gi', '8Gi', '20Gi']);
  if (maybe(0.05, 'ephemeral storage')) requests['ephemeral-storage'] = choices.pick(['1Gi', '5Gi', '30Gi']);
  if (maybe(0.02, 'unknown resource')) requests['example.com/gpu'] = '1';
  return requests;
}

function randomSpec(making: Making, labels: Record<string, string>): PodSpec {
  const { choices, maybe } = making;
  const container = (name: string) => ({ name, image: 'pause', resources: { requests: randomRequests(making) } });
  const ports = maybe(0.06, 'host ports', 'mixed')
    ? [
        {
          containerPort: 80,
          hostPort: choices.pick([8080, 9090]),
          protocol: 'TCP',
          hostIP: choices.pick(['', '10.0.0.1', '0.0.0.0']),
        },
      ]
    : undefined;
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
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(affinity ? { affinity } : {}),
    ...(tolerations.length > 0 ? { tolerations } : {}),
    ...(spread.length > 0 ? { topologySpreadConstraints: spread } : {}),
    ...(maybe(0.02, 'resource claims', 'all') ? { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } : {}),
  };
}

function randomNodeSelector({ choices, maybe }: Making): Record<string, string> | undefined {
  if (!maybe(0.25, 'node selector')) return undefined;
  return choices.pick<Record<string, string>>([
    { [ZONE]: choices.pick(ZONES) },
    { 'failure-domain.beta.kubernetes.io/zone': choices.pick(ZONES) },
    { 'kubernetes.io/arch': choices.pick(['amd64', 'arm64']) },
    { [CAPACITY_TYPE]: choices.pick(['spot', 'on-demand']) },
    { 'karpenter.kwok.sh/instance-family': choices.pick(['c', 's', 'm']) },
    { team: choices.pick(['red', 'blue']) },
    { 'kubernetes.io/os': choices.pick(['linux', 'linux', 'windows']) },
    { 'karpenter.sh/nodepool': choices.pick(['alpha', 'beta']) },
    { 'example.com/rack': 'r1' },
    { 'node.kubernetes.io/instance-type': choices.pick(['c-4x-amd64-linux', 's-8x-arm64-linux', 'none']) },
  ]);
}

function randomTolerations({ choices, maybe }: Making): Toleration[] {
  if (!maybe(0.25, 'tolerations')) return [];
  return [
    choices.pick<Toleration>([
      { key: 'dedicated', operator: 'Exists' },
      { key: 'dedicated', operator: 'Equal', value: choices.pick(['gpu', 'batch']), effect: 'NoSchedule' },
      { operator: 'Exists' },
      { key: 'soft', operator: 'Exists' },
    ]),
  ];
}

function randomExpression({ choices }: Making): NodeSelectorRequirement {
  return choices.pick<NodeSelectorRequirement>([
    { key: ZONE, operator: choices.pick(['In', 'In', 'NotIn']), values: choices.some(ZONES, 3) },
    { key: CAPACITY_TYPE, operator: choices.pick(['In', 'NotIn']), values: [choices.pick(['spot', 'on-demand'])] },
    { key: 'kubernetes.io/arch', operator: 'In', values: choices.some(['amd64', 'arm64']) },
    {
      key: 'karpenter.kwok.sh/instance-cpu',
      operator: choices.pick(['Gt', 'Lt', 'Gte', 'Lte']),
      values: [choices.pick(['2', '4', '8'])],
    },
    { key: 'karpenter.kwok.sh/instance-family', operator: 'NotIn', values: [choices.pick(['c', 's', 'm'])] },
    { key: 'team', operator: choices.pick(['Exists', 'DoesNotExist']) },
    { key: 'team', operator: choices.pick(['In', 'NotIn']), values: ['red'] },
    {
      key: 'example.com/rack',
      operator: choices.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']),
      values: ['r1', 'r2'],
    },
    { key: 'example.com/unknown', operator: choices.pick(['NotIn', 'DoesNotExist', 'In']), values: ['x'] },
  ]);
}

function randomTerm(making: Making): NodeSelectorTerm {
  const count = making.choices.integer(1, 2);
  return {
    matchExpressions: Array.from({ length: count }, () => randomExpression(making)).map(({ key, operator, values }) =>
      operator === 'Exists' || operator === 'DoesNotExist'
        ? { key, operator }
        : { key, operator, values: values ?? [] },
    ),
  };
}

function randomAffinity(making: Making, labels: Record<string, string>): Affinity | undefined {
  const { choices, maybe } = making;
  const affinity: { -readonly [K in keyof Affinity]: Affinity[K] } = {};
  const required = maybe(0.2, 'required node affinity')
    ? { nodeSelectorTerms: Array.from({ length: maybe(0.4, 'alternative terms') ? 2 : 1 }, () => randomTerm(making)) }
    : undefined;
  const preferred = maybe(0.15, 'preferred node affinity', 'mixed')
    ? Array.from({ length: choices.integer(1, 2) }, (_, i) => ({
        weight: 10 * (i + 1),
        preference: randomTerm(making),
      }))
    : undefined;
  if (required || preferred) {
    affinity.nodeAffinity = {
      ...(required ? { requiredDuringSchedulingIgnoredDuringExecution: required } : {}),
      ...(preferred ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : {}),
    };
  }
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    if (!maybe(0.12, kind === 'podAffinity' ? 'pod affinity' : 'pod anti-affinity', 'mixed')) continue;
    const term = randomPodTerm(making, labels);
    affinity[kind] = maybe(0.4, `preferred ${kind}`, 'mixed')
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: choices.integer(1, 100), podAffinityTerm: term }],
        }
      : { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  }
  return Object.keys(affinity).length > 0 ? affinity : undefined;
}

function randomSelector({ choices }: Making, labels: Record<string, string>): LabelSelector {
  return choices.pick<LabelSelector>([
    { matchLabels: { app: labels.app ?? '' } },
    { matchLabels: { app: labels.app ?? '' } },
    { matchLabels: { app: choices.pick(APPS) } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: choices.some(APPS, 2) }] },
    { matchExpressions: [{ key: 'version', operator: choices.pick(['Exists', 'DoesNotExist']) }] },
  ]);
}

function randomPodTerm(making: Making, labels: Record<string, string>): PodAffinityTerm {
  const { choices, maybe } = making;
  return {
    topologyKey: choices.pick([ZONE, ZONE, HOSTNAME, HOSTNAME, CAPACITY_TYPE]),
    labelSelector: randomSelector(making, labels),
    ...(maybe(0.2, 'affinity namespaces', 'mixed') ? { namespaces: choices.some(['default', 'other']) } : {}),
    ...(maybe(0.1, 'affinity namespace selector', 'mixed')
      ? { namespaceSelector: { matchLabels: { tier: 'one' } } }
      : {}),
  };
}

function randomSpread(making: Making, labels: Record<string, string>): TopologySpreadConstraint[] {
  const { choices, maybe } = making;
  if (!maybe(making.level === 'simple' ? 0.15 : 0.22, 'topology spread')) return [];
  const keys = choices.some([ZONE, HOSTNAME, CAPACITY_TYPE], 2);
  return keys.map((topologyKey) => ({
    topologyKey,
    maxSkew: choices.integer(1, 2),
    whenUnsatisfiable: maybe(0.3, 'ScheduleAnyway') ? 'ScheduleAnyway' : 'DoNotSchedule',
    labelSelector: choices.chance(0.8) ? { matchLabels: { app: labels.app ?? '' } } : randomSelector(making, labels),
    ...(maybe(0.15, 'minDomains', 'mixed') && topologyKey === ZONE ? { minDomains: choices.integer(2, 5) } : {}),
    ...(maybe(0.15, 'nodeAffinityPolicy', 'mixed') ? { nodeAffinityPolicy: choices.pick(['Honor', 'Ignore']) } : {}),
    ...(maybe(0.15, 'nodeTaintsPolicy', 'mixed') ? { nodeTaintsPolicy: choices.pick(['Honor', 'Ignore']) } : {}),
    ...(maybe(0.1, 'matchLabelKeys', 'mixed') ? { matchLabelKeys: ['version'] } : {}),
  }));
}
