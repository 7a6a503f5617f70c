import type { Condition, Event, KubeObject } from '../kube/objects.ts';
import type { ConditionMeaning } from './condition-meanings.ts';
import { eventTime } from './karpenter-events.ts';

/** Events shown, the latest. */
const EVENTS = 5;

export interface ConditionExplanation {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly since?: string;
  /** In plain words. */
  readonly meaning: string;
  readonly healthy: boolean;
  /** What to look at next, when it isn't healthy. */
  readonly next?: string;
}

export interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly time?: string;
  readonly count: number;
}

/** In the order of the meanings, which is the order of a life; unknown types last. */
export function explainConditions(
  conditions: readonly Condition[] = [],
  meanings: Readonly<Record<string, ConditionMeaning>>,
): ConditionExplanation[] {
  const order = Object.keys(meanings);
  const rank = ({ type }: Condition): number => (order.includes(type) ? order.indexOf(type) : order.length);
  return conditions
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ type, status, reason, message, lastTransitionTime }) => {
      const meaning = meanings[type];
      const healthy = meaning?.healthy === undefined || meaning.healthy === status;
      return {
        type,
        status,
        ...(reason && reason !== type ? { reason } : {}),
        ...(message ? { message } : {}),
        ...(lastTransitionTime ? { since: lastTransitionTime } : {}),
        meaning: meaning?.[status] ?? '',
        healthy,
        ...(!healthy && meaning?.next ? { next: meaning.next } : {}),
      };
    });
}

/** The latest events about the object, oldest first. */
export function latestEvents(object: KubeObject, events: readonly Event[]): ObjectEvent[] {
  return events
    .filter(({ involvedObject: o }) => o.kind === object.kind && o.name === object.metadata.name)
    .toSorted((a, b) => (eventTime(a) < eventTime(b) ? -1 : 1))
    .slice(-EVENTS)
    .map((event) => ({
      type: event.type ?? 'Normal',
      reason: event.reason ?? '',
      message: event.message ?? '',
      ...(eventTime(event) ? { time: eventTime(event) } : {}),
      count: event.count ?? 1,
    }));
}
