import type { Taint } from '../kube/objects.ts';

/** A node that a pod may go to, real or planned. */
export interface TopologyTarget {
  readonly hostname: string;
  readonly taints: readonly Taint[];
  /** Not a node yet: keys that are well known may be undefined. */
  readonly fresh: boolean;
}
