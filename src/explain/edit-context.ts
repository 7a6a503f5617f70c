import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { Edit } from './edit.ts';
import { podName } from './plan-report.ts';

/** One pod, one pool that can't take it, and what the pool can buy. */
export interface EditContext {
  readonly pod: Pod;
  readonly pool: NodePool;
  readonly instanceTypes: readonly InstanceType[];
  /** Of several values, the one that someone who wrote `value` may have meant; undefined when none is close. */
  readonly closest: (value: string, candidates: readonly string[]) => string | undefined;
}

export function podEdit(context: EditContext, path: string, from: string, to: string, pod: (pod: Pod) => Pod): Edit {
  return { object: 'pod', name: podName(context.pod), path, from, to, pod };
}

export function poolEdit(
  { pool }: EditContext,
  path: string,
  from: string,
  to: string,
  nodePool: (pool: NodePool) => NodePool,
): Edit {
  return { object: 'nodepool', name: pool.metadata.name, path, from, to, nodePool };
}
