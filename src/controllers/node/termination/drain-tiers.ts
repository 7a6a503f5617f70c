import type { Pod } from '../../../kube/objects.ts';
import { isOwnedByDaemonSet } from '../../../scheduling/pod-lifecycle.ts';

const CRITICAL: readonly (string | undefined)[] = ['system-cluster-critical', 'system-node-critical'];

/**
 * Pods in the order in which a drain asks them to go: ordinary ones, ordinary daemons, critical ones, critical daemons. A
 * tier has to be empty before the next is asked (karpenter-core.md 6.1.3).
 */
export function drainTiers(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const tiers: [Pod[], Pod[], Pod[], Pod[]] = [[], [], [], []];
  for (const pod of pods) {
    const critical = CRITICAL.includes(pod.spec.priorityClassName) ? 2 : 0;
    tiers[isOwnedByDaemonSet(pod) ? critical + 1 : critical]?.push(pod);
  }
  return tiers;
}
