/** What running nodes teach about the types they are of. */
import { LABEL_INSTANCE_TYPE } from '../apis/labels.ts';
import type { InstanceType } from './instance-type.ts';
import { addResources, largestResources, toResources } from './resource-list.ts';
import type { Resources } from './resources.ts';
import { isRegistered, nodeLabels, nodePoolName } from './state-node.ts';
import type { PoolAndTypes, StateNode } from './types.ts';

/** What every kubelet reports from the start. */
const REPORTED = ['cpu', 'memory', 'ephemeral-storage', 'pods'] as const;

/**
 * The pools with their types as nodes of them turned out: what a node leaves to pods less than its claim promised, the next
 * node of that type will too. Otherwise a pod that fits the promise only gets one such node after the other.
 */
export function learnedTypes(pools: readonly PoolAndTypes[], nodes: readonly StateNode[]): readonly PoolAndTypes[] {
  const missing = new Map<string, Resources>();
  for (const state of nodes) {
    const less = shortfall(state);
    if (!less) continue;
    const key = keyOf(nodePoolName(state), nodeLabels(state)[LABEL_INSTANCE_TYPE]);
    missing.set(key, largestResources([missing.get(key) ?? {}, less]));
  }
  if (missing.size === 0) return pools;
  return pools.map((pool) => ({
    ...pool,
    instanceTypes: pool.instanceTypes.map((type) => {
      const less = missing.get(keyOf(pool.nodePool.metadata.name, type.name));
      return less ? withoutResources(type, less) : type;
    }),
  }));
}

const keyOf = (pool = '', type = ''): string => `${pool} ${type}`;

function shortfall(state: StateNode): Resources | undefined {
  if (!isRegistered(state) || !state.node || !state.nodeClaim) return undefined;
  const promised = toResources(state.nodeClaim.status?.allocatable);
  const real = toResources(state.node.status?.allocatable);
  const less: Record<string, number> = {};
  for (const name of REPORTED) {
    const missing = (promised[name] ?? 0) - (real[name] ?? Number.POSITIVE_INFINITY);
    if (missing > 0) less[name] = missing;
  }
  return Object.keys(less).length > 0 ? less : undefined;
}

function withoutResources(type: InstanceType, less: Resources): InstanceType {
  const { systemReserved = {} } = type.overhead;
  return { ...type, overhead: { ...type.overhead, systemReserved: addResources(systemReserved, less) } };
}
