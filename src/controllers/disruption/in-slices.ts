import type { Steps } from '../../disruption/steps.ts';
import type { Clock } from '../../kube/clock.ts';

const SLICE_MS = 50;

/** Does long work a slice at a time, so that leases are renewed and watches read in between. */
export async function inSlices<T>(steps: Steps<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  let started = clock.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (clock.now() - started < SLICE_MS) continue;
    await clock.sleep(0, signal);
    started = clock.now();
  }
}
