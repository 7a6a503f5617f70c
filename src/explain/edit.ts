import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';

/** A change to one object that may let a pod fit. */
export interface Edit {
  readonly object: 'pod' | 'nodepool';
  readonly name: string;
  /** For example `spec.nodeSelector["karpenter.sh/capacity-type"]`. */
  readonly path: string;
  /** What it is now and what it would be, printed; empty for nothing. */
  readonly from: string;
  readonly to: string;
  /** Edits of one family differ in measure only: the first that helps is enough. */
  readonly family?: string;
  readonly pod?: (pod: Pod) => Pod;
  readonly nodePool?: (pool: NodePool) => NodePool;
}

/** An edit as reports show it. */
export interface EditReport {
  readonly object: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

export function editReport({ object, name, path, from, to }: Edit): EditReport {
  return { object: `${object}/${name}`, path, from, to };
}
