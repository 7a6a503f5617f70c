import type { NodePool } from '../../src/apis/node-pool.ts';
import type { Condition, KubeObject, Taint } from '../../src/kube/objects.ts';
import { Requirements } from '../../src/scheduling/requirements.ts';
import { node, nodeClaim } from '../factories/index.ts';
import { reservedCatalogue } from './catalogues.ts';
import type { FleetMaking } from './random-fleet-making.ts';
import { type Home, podsOn } from './random-fleet-pods.ts';
import type { RandomWorld } from './random-world.ts';
import { ZONES } from './random-world.ts';

const LONG_AGO = '2026-11-01T00:00:00Z';
const FAMILIES = [
  ['c', 2],
  ['s', 4],
  ['m', 8],
] as const;
const SIZES = [1, 2, 2, 4, 4, 8, 8, 16, 32, 64];
/** Full small nodes, and now and then a large one that has little to do. */
const TIGHT_SIZES = [2, 2, 4, 4, 4, 8, 16, 32, 64];
const PROVIDERS_OWN: ReadonlySet<string> = new Set([
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'karpenter.sh/capacity-type',
  'node.kubernetes.io/instance-type',
]);

/** A node with its claim and its pods; sometimes one that lacks something. */
export function fleetNode(
  making: FleetMaking,
  name: string,
  pools: readonly NodePool[],
  catalogue: RandomWorld['catalogue'],
): KubeObject[] {
  const { choices, maybe, rare } = making;
  const pool = choices.pick(pools);
  const bought = boughtFor(making, pool, catalogue);
  const claimed = !rare(0.04, 'node without a claim');
  const initialized = !rare(0.05, 'node starting');
  const labels: Record<string, string> = {
    ...pool.spec.template.metadata?.labels,
    'kubernetes.io/hostname': name,
    ...bought.labels,
    [`${pool.spec.template.spec.nodeClassRef.group}/${pool.spec.template.spec.nodeClassRef.kind.toLowerCase()}`]:
      pool.spec.template.spec.nodeClassRef.name,
    'karpenter.sh/nodepool': rare(0.02, 'pool that is gone') ? 'gone' : pool.metadata.name,
    'karpenter.sh/registered': 'true',
    ...(initialized ? { 'karpenter.sh/initialized': 'true' } : {}),
  };
  if (rare(0.04, 'unknown type')) labels['node.kubernetes.io/instance-type'] = 'x-1';
  if (rare(0.04, 'missing label')) delete labels[choices.pick(MISSING)];
  const { cpu, gibPerCpu } = bought;
  const size = {
    cpu: String(cpu),
    memory: `${cpu * gibPerCpu}Gi`,
    pods: String(cpu * 16),
    'ephemeral-storage': '20Gi',
  };
  const annotations = rare(0.05, 'node do-not-disrupt')
    ? { 'karpenter.sh/do-not-disrupt': choices.pick(['true', 'true', '10m', 'false']) }
    : {};
  const metadata = { name, labels, creationTimestamp: LONG_AGO, annotations };
  const deletion = { deletionTimestamp: '2026-11-30T00:00:00Z', finalizers: ['karpenter.sh/termination'] };
  const deleting = rare(0.05, 'node deleting') ? deletion : {};
  const objects: KubeObject[] = [];
  if (claimed) {
    const grace = maybe(0.2, 'claim grace period') ? { terminationGracePeriod: '1h' } : {};
    objects.push(
      nodeClaim({
        metadata: { ...metadata, ...deleting },
        spec: { ...grace, expireAfter: choices.pick(['Never', '720h', '1000h']) },
        status: {
          providerID: `kwok://${name}`,
          nodeName: name,
          capacity: size,
          allocatable: size,
          conditions: conditionsOf(making, pool, initialized),
          ...(maybe(0.1, 'pod came lately') ? { lastPodEventTime: '2026-11-30T23:59:40Z' } : {}),
        },
      }),
    );
    if (rare(0.03, 'claim without a node')) return objects;
  }
  const home: Home = { name, cpu, zone: bought.labels['topology.kubernetes.io/zone'] ?? '' };
  return [
    ...objects,
    node({
      metadata: claimed ? metadata : { ...metadata, ...(maybe(0.1, 'unclaimed node deleting') ? deletion : {}) },
      spec: {
        ...(rare(0.06, 'node taint') ? { taints: [choices.pick(TAINTS)] } : {}),
        ...(rare(0.02, 'cordoned node') ? { unschedulable: true } : {}),
      },
      status: {
        capacity: size,
        allocatable: size,
        conditions: rare(0.02, 'node without conditions')
          ? []
          : [{ type: 'Ready', status: rare(0.05, 'node not ready') ? choices.pick(['False', 'Unknown']) : 'True' }],
      },
    }),
    ...(maybe(0.15, 'attach limit', 'all') ? [csiNode(name, choices.integer(1, 3))] : []),
    ...(rare(0.25, 'empty node') ? [] : podsOn(making, home)),
  ];
}

const MISSING = ['topology.kubernetes.io/zone', 'karpenter.sh/capacity-type', 'karpenter.sh/nodepool'];

const TAINTS: readonly Taint[] = [
  { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
  { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' },
  { key: 'soft', value: 'x', effect: 'PreferNoSchedule' },
];

function conditionsOf({ choices, maybe, rare }: FleetMaking, pool: NodePool, initialized: boolean): Condition[] {
  const types = ['Launched', 'Registered', ...(initialized ? ['Initialized', 'Ready'] : [])];
  const conditions: Condition[] = types.map((type) => ({ type, status: 'True', lastTransitionTime: LONG_AGO }));
  const consolidatable = !rare(0.12, 'not yet consolidatable') && pool.spec.disruption?.consolidateAfter !== 'Never';
  if (consolidatable) conditions.push({ type: 'Consolidatable', status: 'True', lastTransitionTime: LONG_AGO });
  else if (choices.chance(0.2)) {
    conditions.push({ type: 'Consolidatable', status: 'False', lastTransitionTime: LONG_AGO, reason: 'No' });
  }
  if (maybe(pool.spec.replicas === undefined ? 0.12 : 0.5, 'drifted')) {
    // Days apart, and minutes by chance, so that the order is no matter of luck.
    const minute = String(choices.integer(0, 59)).padStart(2, '0');
    const day = String(choices.integer(2, 28)).padStart(2, '0');
    conditions.push({ type: 'Drifted', status: 'True', lastTransitionTime: `2026-11-${day}T00:${minute}:00Z` });
  }
  if (rare(0.02, 'instance terminating')) {
    conditions.push({ type: 'InstanceTerminating', status: 'True', lastTransitionTime: LONG_AGO });
  }
  return conditions;
}

interface Bought {
  readonly labels: Record<string, string>;
  readonly cpu: number;
  readonly gibPerCpu: number;
}

/** What the pool may well have bought; after some tries anything, as for a node whose pool has changed since. */
function boughtFor(making: FleetMaking, pool: NodePool, catalogue: RandomWorld['catalogue']): Bought {
  const wanted = Requirements.fromItems(
    pool.spec.template.spec.requirements.filter(
      ({ key }) => PROVIDERS_OWN.has(key) || key.startsWith('karpenter.kwok'),
    ),
  );
  let bought = anyInstance(making, catalogue);
  for (let tries = 0; tries < 8; tries++) {
    if (Requirements.fromLabels(bought.labels).compatible(wanted)) return bought;
    bought = anyInstance(making, catalogue);
  }
  return bought;
}

function anyInstance({ choices, maybe, tight }: FleetMaking, catalogue: RandomWorld['catalogue']): Bought {
  const reserved =
    catalogue === 'reserved' && maybe(0.25, 'reserved node', 'all') ? choices.pick(RESERVED_NODES) : undefined;
  const cpu = reserved?.cpu ?? choices.pick(tight ? TIGHT_SIZES : SIZES);
  const [family, gibPerCpu] = FAMILIES.find(([name]) => name === reserved?.family) ?? choices.pick(FAMILIES);
  // The large catalogue has five generations of each family.
  const name = catalogue === 'large' ? `${family}${choices.integer(1, 5)}` : family;
  const arch = reserved?.arch ?? choices.pick(['amd64', 'amd64', 'arm64']);
  return {
    cpu,
    gibPerCpu,
    labels: {
      'topology.kubernetes.io/zone': reserved?.zone ?? choices.pick(ZONES),
      'kubernetes.io/arch': arch,
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': `${name}-${cpu}x-${arch}-linux`,
      'karpenter.kwok.sh/instance-family': name,
      'karpenter.kwok.sh/instance-size': String(cpu),
      'karpenter.kwok.sh/instance-cpu': String(cpu),
      'karpenter.kwok.sh/instance-memory': `${cpu * gibPerCpu}Gi`,
      'karpenter.sh/capacity-type': reserved ? 'reserved' : choices.pick(['on-demand', 'spot']),
      ...(reserved ? { 'karpenter.kwok.sh/reservation-id': reserved.id } : {}),
    },
  };
}

/** Who may hold the reservations of the catalogue. */
const RESERVED_NODES = reservedCatalogue().flatMap(({ name, offerings }) => {
  const [family = '', size = '', arch = ''] = name.split('-');
  return offerings.flatMap(({ Requirements: rules }) => {
    const value = (key: string): string => rules.find((rule) => rule.key === key)?.values?.[0] ?? '';
    const id = value('karpenter.kwok.sh/reservation-id');
    const zone = value('topology.kubernetes.io/zone');
    return id ? [{ family, arch, id, zone, cpu: Number.parseInt(size, 10) }] : [];
  });
});

function csiNode(name: string, count: number): KubeObject {
  const drivers = [{ name: 'disk.example.com', nodeID: name, topologyKeys: [], allocatable: { count } }];
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, ...{ spec: { drivers } } };
}
