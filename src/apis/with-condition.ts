import type { Condition } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';

/**
 * The conditions with one of them set, for kinds whose conditions have no root; when it keeps its status it keeps its time
 * (apimachinery's SetStatusCondition).
 *
 * @param now epoch milliseconds.
 */
export function withCondition(conditions: readonly Condition[], condition: Condition, now: number): Condition[] {
  const previous = conditions.find(({ type }) => type === condition.type);
  const isSame = previous?.status === condition.status && previous.lastTransitionTime !== undefined;
  const lastTransitionTime = isSame ? previous.lastTransitionTime : formatTimestamp(now);
  const next = { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
  return previous ? conditions.map((c) => (c === previous ? next : c)) : [...conditions, next];
}
