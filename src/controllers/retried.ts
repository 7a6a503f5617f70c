import type { Clock } from '../kube/clock.ts';
import { isNotFound } from '../kube/errors.ts';

/** client-go's DefaultBackoff: four attempts in all. */
const DELAYS_MS = [10, 50, 250];

/**
 * Does some work again for a moment when it fails, whatever with: what disruption writes is not left half done for an API that
 * hiccups or for somebody else's write. An object that is gone is nothing to try again for.
 */
export async function retried(
  clock: Pick<Clock, 'sleep'>,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (const delay of DELAYS_MS) {
    try {
      await work();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) throw error;
      await clock.sleep(delay, signal);
    }
  }
  await work();
}
