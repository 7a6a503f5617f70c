import type { PodError, TargetFailure } from '../scheduling/types.ts';

/** The pool that came closest to taking the pod, or else the node; undefined when no reasons were asked for. */
export function nearestPool({ targets = [] }: Pick<PodError, 'targets'>): TargetFailure | undefined {
  return targets.find(({ kind }) => kind === 'NodePool') ?? targets[0];
}
