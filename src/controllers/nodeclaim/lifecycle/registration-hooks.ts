import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodeLifecycleHook, NodeLifecycleHookResult } from '../../../cloudprovider/types.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import { combinedError } from '../../combined-error.ts';

/** What all hooks together say of a claim. */
export interface HooksAnswer {
  /** The claim with what the hooks put on it. */
  readonly claim: NodeClaim;
  /** Names of those that hold it back, the failed ones included, in their order. */
  readonly pending: readonly string[];
  /** When to ask again. */
  readonly again?: ReconcileResult;
  readonly error?: unknown;
}

/** Asks all hooks at the same time (karpenter-core.md 5.3.4). */
export async function askHooks(
  hooks: readonly NodeLifecycleHook[],
  asked: NodeClaim,
  signal: AbortSignal,
): Promise<HooksAnswer> {
  const answers = await Promise.allSettled(hooks.map(async (hook) => await hook.registered(asked, signal)));
  const pending: string[] = [];
  const results: NodeLifecycleHookResult[] = [];
  const errors: unknown[] = [];
  for (const [i, { name }] of hooks.entries()) {
    const answer = answers[i];
    if (answer?.status === 'rejected') errors.push(failure(name, answer.reason));
    if (answer?.status === 'fulfilled') results.push(answer.value);
    if (answer?.status !== 'fulfilled' || isPending(answer.value)) pending.push(name);
  }
  const claim = results.reduce(withMetadata, asked);
  const again = soonestOf(results.filter(isPending));
  const error = combinedError(errors);
  return { claim, pending, ...(again ? { again } : {}), ...(error === undefined ? {} : { error }) };
}

const isPending = ({ requeue, requeueAfter }: NodeLifecycleHookResult): boolean =>
  requeue === true || (requeueAfter ?? 0) > 0;

/** The shortest time that any of them names; the back-off only when none does. */
function soonestOf(pending: readonly NodeLifecycleHookResult[]): ReconcileResult | undefined {
  const delays = pending.flatMap(({ requeueAfter = 0 }) => (requeueAfter > 0 ? [requeueAfter] : []));
  if (delays.length > 0) return { requeueAfter: Math.min(...delays) };
  return pending.length > 0 ? { requeue: true } : undefined;
}

function withMetadata(claim: NodeClaim, { labels, annotations }: NodeLifecycleHookResult): NodeClaim {
  if (!labels && !annotations) return claim;
  const { metadata } = claim;
  return {
    ...claim,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
    },
  };
}

const failure = (hook: string, cause: unknown): Error =>
  new Error(`registration hook "${hook}" failed, ${cause instanceof Error ? cause.message : cause}`, { cause });
