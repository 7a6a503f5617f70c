import { formatMilli } from '../kube/quantity.ts';
import type { InstanceType } from './instance-type.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import type { PodShape } from './pod-shape.ts';
import { toResources } from './resource-list.ts';
import type { SchedulingRun } from './scheduling-run.ts';
import type { Reason } from './types.ts';

/**
 * The limits of the pool that leave less than a node for the pod would take: a new node counts with its whole capacity.
 *
 * @param fitting types that are large enough; without any, what the pod asks for is what counts
 */
export function limitReasons(
  run: SchedulingRun,
  shape: PodShape,
  template: NodePoolTemplate,
  fitting: readonly InstanceType[],
): readonly Reason[] {
  const remaining = run.limits.remaining(template.name) ?? {};
  const limits = toResources(template.nodePool.spec.limits);
  return Object.keys(remaining).flatMap((name) => {
    const left = Math.max(remaining[name] ?? 0, 0);
    const smallest = fitting.toSorted((a, b) => (a.capacity[name] ?? 0) - (b.capacity[name] ?? 0))[0];
    const needed = name === 'nodes' ? 1000 : (smallest?.capacity[name] ?? shape.requests[name] ?? 0);
    if (needed <= left) return [];
    const print = (milli: number): string => `${name} ${formatMilli(name, milli)}`;
    const planned = run.limits.charged(template.name, name);
    const who = smallest && name !== 'nodes' ? ` (${smallest.name})` : '';
    return [
      {
        code: 'NodePoolLimit' as const,
        message: `limit of the pool: ${print(left)} left of ${formatMilli(name, limits[name] ?? 0)}, ${formatMilli(name, needed)} needed`,
        pod: `${print(needed)}${who}`,
        other: `${print(left)} of ${formatMilli(name, limits[name] ?? 0)}`,
        subject: name,
        objects: [`NodePool/${template.name}`],
        ...(planned > 0 ? { planned: print(planned) } : {}),
      },
    ];
  });
}
