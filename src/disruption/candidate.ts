import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { StateNode } from '../scheduling/types.ts';
import { NODE_BASE_COST } from './eviction-cost.ts';

/** A node that may be disrupted, with what every method asks about it (karpenter-core.md 7.2). */
export interface Candidate {
  readonly name: string;
  readonly node: StateNode;
  readonly nodePool: NodePool;
  /** Unknown for a type that the provider no longer lists; such a node can still be empty or drifted. */
  readonly instanceType: InstanceType | undefined;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  readonly pods: readonly Pod[];
  readonly reschedulablePods: readonly Pod[];
  /** Per hour, of the node's zone and capacity type whether on sale or not; 0 when unknown. */
  readonly price: number;
  /** At least NODE_BASE_COST. */
  readonly disruptionCost: number;
}

/** No pod on the node costs anything to move. */
export function isEmpty(candidate: Candidate): boolean {
  return candidate.disruptionCost <= NODE_BASE_COST;
}

/** A static pool has a fixed number of nodes: `replicas` is set. */
export function isStatic(candidate: Candidate): boolean {
  return candidate.nodePool.spec.replicas !== undefined;
}

/** Dearest per unit of disruption first; equal ones by name, where upstream leaves the order open. */
export function bySavingsRatio(a: Candidate, b: Candidate): number {
  return b.price / b.disruptionCost - a.price / a.disruptionCost || (a.name < b.name ? -1 : 1);
}

export function totalPrice(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, candidate) => sum + candidate.price, 0);
}
