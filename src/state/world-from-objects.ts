import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { LabelRules } from '../apis/restricted-labels.ts';
import type { KubeObject, Node, Pod } from '../kube/objects.ts';
import type { InstanceType, PoolAndTypes, StateNode, World } from '../scheduling/index.ts';
import { evaluateOverlays } from '../scheduling/overlays/evaluate-overlays.ts';
import { nodeId } from './node-id.ts';
import { virtualPodsFromObjects } from './virtual-pods-from-objects.ts';

export interface WorldFromObjectsOptions {
  /** What each pool can buy. */
  readonly instanceTypes: readonly InstanceType[] | ((nodePool: NodePool) => readonly InstanceType[]);
  /** Epoch milliseconds. */
  readonly now: number;
  /** The rules for labels, when the NodeOverlays among the objects are to be applied. */
  readonly overlayRules?: LabelRules | undefined;
  /** Whether the CapacityBuffers among the objects are to have their room. */
  readonly buffers?: boolean;
}

const HOUR_MS = 3_600_000;
const NAMESPACED: ReadonlySet<string> = new Set([
  'Pod',
  'CapacityBuffer',
  'PodTemplate',
  'DaemonSet',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'PersistentVolumeClaim',
  'PodDisruptionBudget',
  'LimitRange',
  'ResourceClaim',
  'ResourceClaimTemplate',
  'Job',
]);

/**
 * A world from Kubernetes objects as `kubectl get -o json` writes them. Lists are taken apart; objects of kinds that don't
 * matter are passed over. What a hand-written file leaves out is filled in: namespace `default`, a uid, created an hour ago,
 * pools ready.
 */
export function worldFromObjects(objects: readonly KubeObject[], options: WorldFromObjectsOptions): World {
  const created = `${new Date(options.now - HOUR_MS).toISOString().slice(0, 19)}Z`;
  const complete = objects.flatMap(items).map((object, index) => completed(object, index, created));
  const byKind = Map.groupBy(complete, (object) => object.kind ?? '');
  const all = <T extends KubeObject>(kind: string): readonly T[] =>
    (byKind.get(kind) ?? []) as readonly KubeObject[] as readonly T[];
  const { instanceTypes, overlayRules } = options;
  const pools = all<NodePool>('NodePool').map((nodePool) => ({
    nodePool: ready(nodePool),
    instanceTypes: typeof instanceTypes === 'function' ? instanceTypes(nodePool) : instanceTypes,
  }));
  return {
    pools: overlayRules ? overlaid(pools, all('NodeOverlay'), overlayRules) : pools,
    nodes: joinNodes(all<NodeClaim>('NodeClaim'), all<Node>('Node')),
    unnotedNodes: all<Node>('Node').filter((node) => nodeId(node) === undefined),
    pods: options.buffers ? [...all<Pod>('Pod'), ...virtualPodsFromObjects(complete, created)] : all('Pod'),
    daemonSets: all('DaemonSet'),
    namespaces: all('Namespace'),
    persistentVolumeClaims: all('PersistentVolumeClaim'),
    persistentVolumes: all('PersistentVolume'),
    storageClasses: all('StorageClass'),
    csiNodes: all('CSINode'),
    podDisruptionBudgets: all('PodDisruptionBudget'),
    limitRanges: all('LimitRange'),
    now: options.now,
  };
}

function overlaid(
  pools: readonly PoolAndTypes[],
  overlays: readonly NodeOverlay[],
  rules: LabelRules,
): readonly PoolAndTypes[] {
  const { updates } = evaluateOverlays(overlays, pools, rules);
  return pools.map(({ nodePool, instanceTypes }) => ({
    nodePool,
    instanceTypes: updates.apply(nodePool.metadata.name, instanceTypes),
  }));
}

function items(object: KubeObject): readonly KubeObject[] {
  if (!object.kind?.endsWith('List') || !('items' in object) || !Array.isArray(object.items)) return [object];
  return object.items as readonly KubeObject[];
}

function completed(object: KubeObject, index: number, created: string): KubeObject {
  const { metadata } = object;
  const needsNamespace = !metadata.namespace && NAMESPACED.has(object.kind ?? '');
  const needsSpec = object.kind === 'Node' && !('spec' in object);
  if (metadata.uid && metadata.creationTimestamp && !needsNamespace && !needsSpec) return object;
  return {
    ...object,
    ...(needsSpec ? { spec: {} } : {}),
    metadata: {
      ...metadata,
      uid: metadata.uid || `uid-${String(index).padStart(6, '0')}`,
      creationTimestamp: metadata.creationTimestamp || created,
      ...(needsNamespace ? { namespace: 'default' } : {}),
    },
  };
}

function ready(nodePool: NodePool): NodePool {
  const conditions = nodePool.status?.conditions ?? [];
  if (conditions.some((condition) => condition.type === 'Ready')) return nodePool;
  return {
    ...nodePool,
    status: { ...nodePool.status, conditions: [...conditions, { type: 'Ready', status: 'True' }] },
  };
}

/**
 * Claims and nodes by provider id, as cluster state keeps them (karpenter-core.md 8.1-8.2): a claim that has not been launched
 * is not a node yet; a node of a pool is passed over while it lacks its provider id or, until initialized, its type.
 */
function joinNodes(nodeClaims: readonly NodeClaim[], nodes: readonly Node[]): StateNode[] {
  const joined = new Map<string, { node?: Node; nodeClaim?: NodeClaim }>();
  for (const nodeClaim of nodeClaims) {
    const id = nodeClaim.status?.providerID;
    if (id) joined.set(id, { nodeClaim });
  }
  for (const node of nodes) {
    const id = nodeId(node);
    if (id === undefined) continue;
    joined.set(id, { ...joined.get(id), node });
  }
  return [...joined.values()].map((parts) => ({ ...parts, markedForDeletion: isDeleting(parts) }));
}

function isDeleting({ node, nodeClaim }: { readonly node?: Node; readonly nodeClaim?: NodeClaim }): boolean {
  if (!nodeClaim) return node?.metadata.deletionTimestamp !== undefined;
  if (nodeClaim.metadata.deletionTimestamp !== undefined) return true;
  return (nodeClaim.status?.conditions ?? []).some((c) => c.type === 'InstanceTerminating' && c.status === 'True');
}
