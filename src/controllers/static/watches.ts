import { READY } from '../../apis/condition-types.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import { isManagedPool } from '../managed.ts';

/** A pool of fixed size that is ours and not on its way out. */
export function isStaticPool(cloud: Pick<CloudProvider, 'supportedNodeClasses'>, nodePool: NodePool): boolean {
  return nodePool.spec.replicas !== undefined && !nodePool.metadata.deletionTimestamp && isManagedPool(cloud, nodePool);
}

/** Whether an update of a pool is worth a look: its size changed, or it can be used now. */
export function isResized(old: NodePool, now: NodePool): boolean {
  return old.spec.replicas !== now.spec.replicas || (!conditionIsTrue(old, READY) && conditionIsTrue(now, READY));
}
