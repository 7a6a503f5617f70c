import type { Diagnosis } from './find-nodes.ts';

/** What events can hold. */
const LONGEST_NOTE = 1024;

/**
 * kube-scheduler's account of a failure: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated
 * taint(s).`, followed by what preemption had to say.
 */
export function fitMessage(
  total: number,
  diagnosis: Pick<Diagnosis, 'rejections' | 'others' | 'refusal'>,
  postFilter = '',
): string {
  let message = `0/${total} nodes are available:`;
  if (diagnosis.refusal !== undefined) message += ` ${diagnosis.refusal}.`;
  else {
    const counts = new Map<string, number>();
    const count = (reason: string, by: number): void => void counts.set(reason, (counts.get(reason) ?? 0) + by);
    for (const { reasons } of diagnosis.rejections.values()) for (const reason of reasons) count(reason, 1);
    const rest = total - diagnosis.rejections.size;
    if (diagnosis.others !== undefined && rest > 0) count(diagnosis.others, rest);
    const sorted = [...counts].map(([reason, number]) => `${number} ${reason}`).sort();
    if (sorted.length > 0) message += ` ${sorted.join(', ')}.`;
  }
  return postFilter === '' ? message : `${message} ${postFilter}`;
}

/** The message as an event may carry it. */
export function truncatedNote(message: string): string {
  const suffix = ' ...';
  return message.length <= LONGEST_NOTE ? message : message.slice(0, LONGEST_NOTE - suffix.length) + suffix;
}
