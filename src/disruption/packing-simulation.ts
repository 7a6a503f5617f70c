import { Scheduler } from '../scheduling/scheduler.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { Simulate } from './simulation.ts';
import type { DisruptOptions } from './types.ts';
import type { WorldIndex } from './world-index.ts';

/**
 * Simulates with the packer that provisioning uses, prepared once for all questions about a world. Reserved offerings that
 * run out don't fail a pod here, as they do while provisioning (karpenter-core.md 4.9.3).
 */
export function packingSimulation(index: WorldIndex, options: DisruptOptions): Simulate {
  const scheduler = new Scheduler(index.world, {
    ...options.schedule,
    reservedOfferingMode: 'Fallback',
    enforceConsolidateAfter: false,
  });
  const always = [...scheduler.pendingPods().pods, ...scheduler.deletingNodePods()];
  return (without, enforceConsolidateAfter, onlyPool) => {
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
