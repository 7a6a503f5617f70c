import type { Event, Pod } from '../kube/objects.ts';

/** What Karpenter has last said about a pod in the cluster, whoever runs it. */
export interface LastEvent {
  readonly reason: string;
  readonly message: string;
  readonly time?: string;
}

const COMPONENT = 'karpenter';

export function lastKarpenterEvent({ metadata }: Pod, events: readonly Event[]): LastEvent | undefined {
  const own = events.filter(
    ({ involvedObject, source, reportingComponent }) =>
      involvedObject.kind === 'Pod' &&
      involvedObject.name === metadata.name &&
      (involvedObject.namespace ?? 'default') === (metadata.namespace ?? 'default') &&
      (involvedObject.uid === undefined || metadata.uid === undefined || involvedObject.uid === metadata.uid) &&
      (source?.component === COMPONENT || reportingComponent === COMPONENT),
  );
  const last = own.sort((a, b) => (eventTime(a) < eventTime(b) ? -1 : 1)).at(-1);
  if (!last) return undefined;
  const time = eventTime(last);
  return { reason: last.reason ?? '', message: last.message ?? '', ...(time ? { time } : {}) };
}

/** When it last happened, RFC 3339; empty when the event doesn't say. */
export function eventTime(event: Event): string {
  return event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}
