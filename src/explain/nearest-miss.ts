import type { PodError } from '../scheduling/types.ts';

/** One rule that kept a pod away, and the NodePool whose rule it is, if it is one's. */
export interface NearestMiss {
  readonly nodePool?: string;
  readonly code: string;
  readonly message: string;
}

/**
 * The first failed rule of the NodePool that came closest to taking the pod: code and message are of the same rule. Without
 * a pool to blame, or without reasons, the error itself.
 */
export function nearestMiss({ code, message, targets = [] }: PodError): NearestMiss {
  const pool = targets.find(({ kind }) => kind === 'NodePool');
  const reason = pool?.reasons[0];
  if (!pool || !reason) return { code, message };
  return { nodePool: pool.name, code: reason.code, message: reason.message };
}
