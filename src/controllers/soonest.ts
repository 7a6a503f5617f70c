import type { ReconcileResult } from '../kube/controller.ts';

/** What to do next when several parts of one reconciliation have their own wishes: the earliest wins. */
export function soonest(...results: readonly (ReconcileResult | undefined)[]): ReconcileResult | undefined {
  if (results.some((result) => result?.requeue)) return { requeue: true };
  const delays = results.flatMap((result) => result?.requeueAfter ?? []);
  return delays.length > 0 ? { requeueAfter: Math.min(...delays) } : undefined;
}
