import type { ReconcileResult } from '../kube/controller.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';

/** Long enough for the watch to bring what the other side has written. */
const CONFLICT_RETRY_MS = 50;

/**
 * Runs one reconciliation; an object that is gone meanwhile ends it, one that somebody else has changed makes it start
 * again.
 */
export async function tolerant(work: () => Promise<ReconcileResult | undefined>): Promise<ReconcileResult | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error)) return { requeueAfter: CONFLICT_RETRY_MS };
    throw error;
  }
}
