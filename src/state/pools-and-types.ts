import type { NodePool } from '../apis/node-pool.ts';
import { causeOf, UnevaluatedNodePoolError } from '../cloudprovider/errors.ts';
import type { CloudProvider } from '../cloudprovider/types.ts';
import type { Logger } from '../logging/logger.ts';
import type { PoolAndTypes } from '../scheduling/types.ts';

export interface PoolsAndTypesDeps {
  readonly cloud: Pick<CloudProvider, 'getInstanceTypes'>;
  readonly log: Logger;
}

/** The pools with what their provider sells; a pool whose types can't be had now is left without any. */
export async function poolsAndTypes(
  { cloud, log }: PoolsAndTypesDeps,
  nodePools: readonly NodePool[],
  signal: AbortSignal,
): Promise<readonly PoolAndTypes[]> {
  return await Promise.all(
    nodePools.map(async (nodePool) => {
      try {
        return { nodePool, instanceTypes: await cloud.getInstanceTypes(nodePool, signal) };
      } catch (error) {
        signal.throwIfAborted();
        if (!causeOf(error, UnevaluatedNodePoolError)) {
          log.error('skipping, unable to resolve instance types', error, {
            NodePool: { name: nodePool.metadata.name },
          });
        }
        return { nodePool, instanceTypes: [] };
      }
    }),
  );
}
