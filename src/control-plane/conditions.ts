import type { Condition } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';

export type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * `conditions` with `condition` put in. The transition time moves only when the status changes, and nothing changes when
 * status, reason and message are as before.
 */
export function withCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  condition: NewCondition,
  now: number,
): readonly C[] {
  const list = conditions ?? [];
  const index = list.findIndex(({ type }) => type === condition.type);
  const old = list[index];
  if (old === undefined) return [...list, { ...condition, lastTransitionTime: formatTimestamp(now) } as C];
  if (old.status === condition.status && old.reason === condition.reason && old.message === condition.message) {
    return list;
  }
  const lastTransitionTime = old.status === condition.status ? old.lastTransitionTime : formatTimestamp(now);
  return list.with(index, { ...old, ...condition, lastTransitionTime });
}

export function withoutCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
