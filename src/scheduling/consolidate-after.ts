import { parseNillableDuration } from '../apis/duration.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { findCondition } from '../kube/conditions.ts';
import type { StateNode } from './types.ts';

/** The node's pods have changed so recently that its pool wants it left alone (upstream's IsUnderConsolidateAfter). */
export function isUnderConsolidateAfter(nodePool: NodePool | undefined, node: StateNode, now: number): boolean {
  const { nodeClaim } = node;
  if (!nodePool || !nodeClaim) return false;
  const wait = parseNillableDuration(nodePool.spec.disruption?.consolidateAfter, '0s');
  if (!wait) return false;
  const initialized = findCondition(nodeClaim, 'Initialized');
  if (initialized?.status !== 'True') return false;
  const since = nodeClaim.status?.lastPodEventTime ?? initialized.lastTransitionTime;
  return since !== undefined && now - Date.parse(since) < wait;
}
