import type { Client } from '../../kube/client.ts';
import type { Pod } from '../../kube/objects.ts';
import { Pods } from '../../kube/resources.ts';
import { withCondition } from '../conditions.ts';

/** Says on a pod why it is about to be deleted; with a phase, also that it has ended. Throws a refusal. */
export async function markDisrupted(
  client: Client,
  pod: Pod,
  why: { readonly reason: string; readonly message: string; readonly phase?: string },
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const { reason, message, phase = pod.status?.phase } = why;
  const condition = { type: 'DisruptionTarget', status: 'True', reason, message } as const;
  const conditions = withCondition(pod.status?.conditions, condition, now);
  await client.update(
    Pods,
    { ...pod, status: { ...pod.status, phase, conditions } },
    { subresource: 'status' },
    signal,
  );
}
