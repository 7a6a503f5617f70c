import { findCondition } from '../kube/conditions.ts';
import { usablePool } from './node-pool-templates.ts';
import type { PoolAndTypes, Reason, TargetFailure } from './types.ts';

/** Pools that take part in no pass, each with why; they refuse every pod. */
export function unusablePools(pools: readonly PoolAndTypes[]): readonly TargetFailure[] {
  return pools.flatMap((pool): TargetFailure[] => {
    const message = usablePool(pool.nodePool) ? withoutTypes(pool) : unusable(pool);
    if (message === undefined) return [];
    const reason: Reason = { code: 'NodePoolNotReady', message };
    return [{ kind: 'NodePool', name: pool.nodePool.metadata.name, reasons: [reason] }];
  });
}

function unusable({ nodePool }: PoolAndTypes): string {
  if (nodePool.metadata.deletionTimestamp) return 'the pool is being deleted';
  if (nodePool.spec.replicas !== undefined) return 'a static pool: its nodes are counted by spec.replicas, not by pods';
  const ready = findCondition(nodePool, 'Ready');
  const why = ready?.message || ready?.reason;
  return `the pool is not ready${why ? `: ${why}` : ''}`;
}

function withoutTypes({ instanceTypes }: PoolAndTypes): string | undefined {
  return instanceTypes.length === 0 ? 'the provider sells nothing to the pool' : undefined;
}
