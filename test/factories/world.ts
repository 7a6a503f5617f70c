import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import {
  LABEL_ARCH,
  LABEL_CAPACITY_TYPE,
  LABEL_HOSTNAME,
  LABEL_INITIALIZED,
  LABEL_INSTANCE_TYPE,
  LABEL_NODEPOOL,
  LABEL_OS,
  LABEL_REGISTERED,
  LABEL_ZONE,
} from '../../src/apis/labels.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { DisruptOptions } from '../../src/disruption/types.ts';
import type { Condition, Pod } from '../../src/kube/objects.ts';
import { formatMilli } from '../../src/kube/quantity.ts';
import type { InstanceType, StateNode, World } from '../../src/scheduling/index.ts';
import { merge, type Overrides } from './merge.ts';
import { uniqueName } from './names.ts';
import { node } from './node.ts';
import { nodeClaim } from './node-claim.ts';
import { pod, requesting } from './pod.ts';

/** The kwok provider's types: `<c|s|m>-<cpu>x-<arch>-<os>`, 2, 4 or 8 GiB a cpu. */
const INSTANCE_TYPES: readonly InstanceType[] = genericInstanceTypes().map(toInstanceType);

/** When worlds are looked at, and long before it: when their objects were made. */
export const NOW = Date.parse('2026-03-04T12:00:00Z');
const LONG_AGO = '2026-01-01T00:00:00Z';

/** Pools are ready, everything else is empty unless given. */
export function world(parts: { pools: readonly NodePool[] } & Partial<Omit<World, 'pools'>>): World {
  const { pools, ...rest } = parts;
  const conditions: readonly Condition[] = [{ type: 'Ready', status: 'True' }];
  return {
    pools: pools.map((pool) => ({
      nodePool: merge(pool, { status: { conditions } }),
      instanceTypes: INSTANCE_TYPES,
    })),
    nodes: [],
    pods: [],
    daemonSets: [],
    namespaces: [],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    csiNodes: [],
    podDisruptionBudgets: [],
    now: NOW,
    ...rest,
  };
}

export interface RunningNode {
  readonly pool: NodePool;
  readonly name?: string;
  /** Default `c-8x-amd64-linux`. */
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: string;
  /** Condition types that are True beyond Launched, Registered, Initialized and Ready. Default Consolidatable. */
  readonly conditions?: readonly (string | Condition)[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly state?: Partial<StateNode>;
}

/** A claim and its node, initialized and ready, as the kwok provider makes them. */
export function runningNode(options: RunningNode): StateNode {
  const { pool, name = uniqueName('node'), instanceType = 'c-8x-amd64-linux', zone = 'test-zone-a' } = options;
  const type = INSTANCE_TYPES.find((t) => t.name === instanceType);
  const labels = {
    [LABEL_NODEPOOL]: pool.metadata.name,
    [LABEL_CAPACITY_TYPE]: options.capacityType ?? 'on-demand',
    [LABEL_REGISTERED]: 'true',
    [LABEL_INITIALIZED]: 'true',
    [LABEL_INSTANCE_TYPE]: instanceType,
    [LABEL_ZONE]: zone,
    [LABEL_ARCH]: 'amd64',
    [LABEL_OS]: 'linux',
    [LABEL_HOSTNAME]: name,
    'karpenter.kwok.sh/kwoknodeclass': 'default',
  };
  const capacity = Object.fromEntries(
    Object.entries(type?.capacity ?? { cpu: 8000 }).map(([key, milli]) => [key, formatMilli(key, milli)]),
  );
  const conditions = [
    'Launched',
    'Registered',
    'Initialized',
    'Ready',
    ...(options.conditions ?? ['Consolidatable']),
  ].map(
    (c): Condition =>
      typeof c === 'string' ? { type: c, status: 'True', reason: c, lastTransitionTime: LONG_AGO } : c,
  );
  const metadata = { name, labels, creationTimestamp: LONG_AGO, annotations: options.annotations ?? {} };
  return {
    node: node({ metadata, status: { capacity, allocatable: capacity } }),
    nodeClaim: nodeClaim({
      metadata,
      spec: pool.spec.template.spec,
      status: { providerID: `kwok://${name}`, nodeName: name, capacity, allocatable: capacity, conditions },
    }),
    markedForDeletion: false,
    ...options.state,
  };
}

/** A running pod of a ReplicaSet. */
export function boundPod(
  on: StateNode,
  requests: Readonly<Record<string, string>>,
  overrides: Overrides<Pod> = {},
): Pod {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true };
  const nodeName = on.node?.metadata.name ?? '';
  return merge(
    pod({
      metadata: { ownerReferences: [owner] },
      spec: { ...requesting(requests), nodeName },
      status: { phase: 'Running' },
    }),
    overrides,
  );
}

/** How the controller calls the engine by default. */
export function disruptOptions(overrides: Partial<DisruptOptions> = {}): DisruptOptions {
  return {
    schedule: {
      preferencePolicy: 'Respect',
      minValuesPolicy: 'Strict',
      reservedCapacity: true,
      ignoreDRARequests: true,
      reasons: false,
      wellKnownLabels: new Set(KWOK_WELL_KNOWN_LABELS),
    },
    spotToSpotConsolidation: false,
    queued: new Set(),
    bufferNodes: new Set(),
    ...overrides,
  };
}
