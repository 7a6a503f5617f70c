import type { InstanceType } from '../scheduling/instance-type.ts';
import { subtractResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';

const HUGE_PAGES = 'hugepages-';

/**
 * What pods can use of a type: capacity minus all overhead; reserved huge pages come out of memory, which never goes
 * below zero for it (karpenter-core.md 0.6).
 */
export function allocatable({ capacity, overhead }: InstanceType): Resources {
  const parts = [overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold];
  let result = parts.reduce<Resources>((left, part) => (part ? subtractResources(left, part) : left), capacity);
  for (const [name, amount] of Object.entries(capacity)) {
    if (!name.startsWith(HUGE_PAGES) || result.memory === undefined) continue;
    result = { ...result, memory: Math.max(result.memory - amount, 0) };
  }
  return result;
}
