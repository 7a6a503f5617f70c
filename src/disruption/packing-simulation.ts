import type { Pod } from '../kube/objects.ts';
import { Scheduler } from '../scheduling/scheduler.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { Simulate } from './simulation.ts';
import type { DisruptOptions } from './types.ts';
import type { WorldIndex } from './world-index.ts';

/**
 * Simulates with the packer that provisioning uses, prepared once for all questions about a world, at the first one. Reserved offerings that
 * run out don't fail a pod here, as they do while provisioning (karpenter-core.md 4.9.3).
 */
export function packingSimulation(index: WorldIndex, options: DisruptOptions): Simulate {
  const prepare = (): { readonly scheduler: Scheduler; readonly always: readonly Pod[] } => {
    const scheduler = new Scheduler(index.world, {
      ...options.schedule,
      reservedOfferingMode: 'Fallback',
      enforceConsolidateAfter: false,
    });
    return { scheduler, always: [...scheduler.pendingPods().pods, ...scheduler.deletingNodePods()] };
  };
  let prepared: ReturnType<typeof prepare> | undefined;
  return (without, enforceConsolidateAfter, onlyPool) => {
    prepared ??= prepare();
    const { scheduler, always } = prepared;
    const moving = without.flatMap((node) =>
      index.podsOn(node).filter((pod) => index.pdbs.isCurrentlyReschedulable(pod, index.world.now)),
    );
    return scheduler.solve({
      pods: [...always, ...moving],
      excludedNodes: new Set(without.map(stateNodeName)),
      ...(onlyPool === undefined ? {} : { onlyPool }),
      options: { enforceConsolidateAfter },
    });
  };
}
