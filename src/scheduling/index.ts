import type { Pod } from '../kube/objects.ts';
import { Scheduler } from './scheduler.ts';
import type { Packer, Results } from './types.ts';

export { cheapestPrice } from './instance-offerings.ts';
export type { InstanceType } from './instance-type.ts';
export { Requirement } from './requirement.ts';
export { Requirements } from './requirements.ts';
export { Scheduler } from './scheduler.ts';
export type * from './types.ts';

/** The packer. A plain and slow one, for a second opinion, is in test/plain. */
export const solve: Packer = (world, pods, options) => {
  const scheduler = new Scheduler(world, options);
  if (pods !== 'provisionable') return solvePods(scheduler, pods);
  const pending = scheduler.pendingPods();
  return {
    ...solvePods(scheduler, [...pending.pods, ...scheduler.deletingNodePods()]),
    rejected: pending.rejected,
  };
};

/** Without any pool that may grow there is no pass, not even for room on nodes that exist (karpenter-core.md 3.3.4). */
export function solvePods(scheduler: Scheduler, pods: readonly Pod[]): Results {
  if (scheduler.hasPools) return scheduler.solveForLaunch({ pods });
  const error = scheduler.noPools();
  return {
    newNodeClaims: [],
    existingNodes: [],
    podErrors: new Map(pods.map((pod) => [pod, error])),
    timedOut: false,
    notReached: [],
  };
}
