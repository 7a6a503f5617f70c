import type { Budget, NodePool, NodePoolDisruption } from '../../src/apis/node-pool.ts';
import type { Condition, KubeObject, Pod, PodDisruptionBudget } from '../../src/kube/objects.ts';
import { node, nodeClaim, pod } from '../factories/index.ts';
import { merge } from '../factories/merge.ts';
import { POOL_NAMES, randomPool } from './random-pool.ts';
import { randomWorkload } from './random-workload.ts';
import type { Level, Making, RandomWorld } from './random-world.ts';
import { making, ZONES } from './random-world.ts';

const APPS = ['web', 'api', 'db', 'job'];
const LONG_AGO = '2026-11-01T00:00:00Z';
const FAMILIES = [
  ['c', 2],
  ['s', 4],
  ['m', 8],
] as const;

/** A small cluster of running nodes, some of which could go: what disruption has to decide about. */
export function randomFleet(seed: number, level: Level): RandomWorld & { readonly spotToSpot: boolean } {
  const make = making(seed * 40503 + 7, level);
  const { choices, maybe, features } = make;
  const objects: KubeObject[] = [
    { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
  ];
  const pools = choices.integer(1, maybe(0.4, 'several pools') ? 3 : 1);
  for (let i = 0; i < pools; i++) objects.push(disruptible(randomPool(make, i), make));
  const nodes = choices.integer(2, 14);
  for (let i = 0; i < nodes; i++) objects.push(...runningNode(make, `node-${String(i).padStart(2, '0')}`, pools));
  if (maybe(0.4, 'PDB')) objects.push(...APPS.filter(() => choices.chance(0.4)).map((app) => budgetOf(app, make)));
  if (maybe(0.3, 'pending pods')) objects.push(...randomWorkload(make, 0));
  return {
    seed,
    level,
    objects,
    features,
    preferencePolicy: maybe(0.1, 'preferences ignored', 'mixed') ? 'Ignore' : 'Respect',
    minValuesPolicy: 'Strict',
    catalogue: 'generic',
    spotToSpot: maybe(0.4, 'spot to spot'),
  };
}

function disruptible(pool: NodePool, { choices, maybe }: Making): NodePool {
  const disruption: NodePoolDisruption = {
    consolidationPolicy: choices.pick([
      'WhenEmptyOrUnderutilized',
      'WhenEmptyOrUnderutilized',
      'WhenEmpty',
      'Balanced',
    ]),
    consolidateAfter: maybe(0.15, 'consolidateAfter Never') ? 'Never' : choices.pick(['0s', '0s', '10m']),
    budgets: maybe(0.6, 'budgets') ? randomBudgets(choices) : [{ nodes: '100%' }],
  };
  const bounded = maybe(0.2, 'termination grace period') ? { terminationGracePeriod: '1h' } : {};
  return merge(pool, { spec: { disruption, template: { spec: bounded } } });
}

function randomBudgets(choices: Making['choices']): Budget[] {
  return Array.from(
    { length: choices.integer(1, 3) },
    (): Budget => ({
      nodes: choices.pick(['0', '1', '2', '5', '10%', '30%', '50%', '100%']),
      ...(choices.chance(0.4) ? { reasons: choices.some(['Underutilized', 'Empty', 'Drifted'] as const) } : {}),
      ...(choices.chance(0.3)
        ? {
            schedule: choices.pick(['@daily', '0 22 * * *', '*/5 * * * *', '0 0 * * tue']),
            duration: choices.pick(['1h', '3h', '24h']),
          }
        : {}),
    }),
  );
}

function runningNode(make: Making, name: string, pools: number): KubeObject[] {
  const { choices, maybe } = make;
  const cpu = choices.pick([2, 4, 8, 16]);
  const [family, perCpu] = choices.pick(FAMILIES);
  const arch = choices.pick(['amd64', 'amd64', 'arm64']);
  const initialized = !maybe(0.05, 'node starting');
  const labels: Record<string, string> = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/zone': choices.pick(ZONES),
    'kubernetes.io/arch': arch,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': maybe(0.04, 'unknown type') ? 'x-1' : `${family}-${cpu}x-${arch}-linux`,
    'karpenter.kwok.sh/kwoknodeclass': 'default',
    'karpenter.kwok.sh/instance-family': family,
    'karpenter.kwok.sh/instance-cpu': String(cpu),
    'karpenter.sh/nodepool': POOL_NAMES[choices.integer(0, pools - 1)] ?? '',
    'karpenter.sh/capacity-type': choices.pick(['on-demand', 'spot']),
    'karpenter.sh/registered': 'true',
    ...(initialized ? { 'karpenter.sh/initialized': 'true' } : {}),
  };
  const size = { cpu: String(cpu), memory: `${cpu * perCpu}Gi`, pods: String(cpu * 16), 'ephemeral-storage': '20Gi' };
  const conditions: Condition[] = ['Launched', 'Registered', ...(initialized ? ['Initialized', 'Ready'] : [])].map(
    (type) => ({ type, status: 'True', lastTransitionTime: LONG_AGO }),
  );
  if (choices.chance(0.85)) conditions.push({ type: 'Consolidatable', status: 'True', lastTransitionTime: LONG_AGO });
  if (maybe(0.15, 'drifted')) {
    const day = String(choices.integer(2, 28)).padStart(2, '0');
    conditions.push({ type: 'Drifted', status: 'True', lastTransitionTime: `2026-11-${day}T00:00:00Z` });
  }
  const metadata = {
    name,
    labels,
    creationTimestamp: LONG_AGO,
    ...(maybe(0.05, 'node do-not-disrupt') ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
  };
  const deleting = maybe(0.06, 'node deleting')
    ? { deletionTimestamp: '2026-11-30T00:00:00Z', finalizers: ['karpenter.sh/termination'] }
    : {};
  return [
    nodeClaim({
      metadata: { ...metadata, ...deleting },
      spec: maybe(0.2, 'claim grace period') ? { terminationGracePeriod: '1h' } : {},
      status: { providerID: `kwok://${name}`, nodeName: name, capacity: size, allocatable: size, conditions },
    }),
    node({
      metadata,
      status: {
        capacity: size,
        allocatable: size,
        conditions: [{ type: 'Ready', status: maybe(0.05, 'node not ready') ? 'False' : 'True' }],
      },
    }),
    ...(maybe(0.25, 'empty node') ? [] : podsOn(make, name, cpu)),
  ];
}

function podsOn({ choices, maybe }: Making, nodeName: string, cpus: number): Pod[] {
  let free = cpus * 1000 * choices.pick([0.2, 0.5, 0.95]);
  const pods: Pod[] = [];
  while (free > 100 && pods.length < 8) {
    const cpu = choices.pick([100, 250, 500, 1000, 2000]);
    if (cpu > free) break;
    free -= cpu;
    const app = choices.pick(APPS);
    const annotations: Record<string, string> = {};
    if (maybe(0.04, 'pod do-not-disrupt'))
      annotations['karpenter.sh/do-not-disrupt'] = choices.pick(['true', '1h', '720h', 'x']);
    if (maybe(0.1, 'deletion cost')) {
      annotations['controller.kubernetes.io/pod-deletion-cost'] = choices.pick([
        '-2147483648',
        '-1000000',
        '100000000',
        'x',
      ]);
    }
    const kind = maybe(0.1, 'daemon pod') ? 'DaemonSet' : 'ReplicaSet';
    const term = {
      topologyKey: choices.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']),
      labelSelector: { matchLabels: { app } },
    };
    const preferred = [{ weight: 1, podAffinityTerm: term }];
    pods.push(
      pod({
        metadata: {
          name: `${nodeName}-${pods.length}`,
          labels: { app },
          annotations,
          ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'owner', uid: 'owner', controller: true }],
        },
        spec: {
          nodeName,
          ...(maybe(0.1, 'priority') ? { priority: choices.pick([-2147483648, -100, 1000, 1000000000]) } : {}),
          containers: [
            { name: 'main', image: 'pause', resources: { requests: { cpu: `${cpu}m`, memory: `${cpu}Mi` } } },
          ],
          ...(maybe(0.08, 'anti-affinity', 'mixed')
            ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
            : {}),
          ...(maybe(0.06, 'preferred anti-affinity', 'mixed')
            ? { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } }
            : {}),
          ...(maybe(0.1, 'spread', 'mixed')
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
          ...(maybe(0.1, 'node selector')
            ? {
                nodeSelector: choices.pick([
                  { 'kubernetes.io/arch': 'amd64' },
                  { 'karpenter.sh/capacity-type': 'on-demand' },
                ]),
              }
            : {}),
        },
        status: {
          phase: maybe(0.05, 'completed pod') ? 'Succeeded' : 'Running',
          startTime: '2026-11-30T23:30:00Z',
          conditions: [{ type: 'Ready', status: choices.chance(0.9) ? 'True' : 'False' }],
        },
      }),
    );
  }
  return pods;
}

function budgetOf(app: string, { choices }: Making): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app } },
      ...choices.pick([{ maxUnavailable: 1 }, { maxUnavailable: '0%' }, { minAvailable: '100%' }, { minAvailable: 2 }]),
      ...(choices.chance(0.3) ? { unhealthyPodEvictionPolicy: 'AlwaysAllow' } : {}),
    },
    status: { disruptionsAllowed: choices.integer(0, 2), currentHealthy: 2, desiredHealthy: 1, expectedPods: 3 },
  };
}
