import type { Pod } from '../kube/objects.ts';
import type { PodError, Results } from '../scheduling/types.ts';

/** What is said of pods that a pass ran out of time before: each has its place in the next pass. */
export function notReachedErrors({ notReached }: Results): ReadonlyMap<Pod, PodError> {
  return new Map(
    notReached.map((pod, index) => {
      const message = `the pass ran out of time before it; place ${index + 1} of ${notReached.length} in the next one`;
      return [pod, { code: 'NotReached', message }];
    }),
  );
}
