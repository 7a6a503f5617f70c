import type { Client, Resource } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { isNotFound } from '../kube/errors.ts';
import type { Event, KubeObject } from '../kube/objects.ts';
import { apiVersionOf, Events } from '../kube/resources.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { EventAggregator } from './event-aggregator.ts';

/** What is to be told about an object. */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Tells users, on an object, what a controller did to it. Never fails and never waits. */
export interface Teller {
  event(about: KubeObject, event: NewEvent): void;
}

export interface EventWriterDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Events are dropped from then on. */
  readonly signal?: AbortSignal;
  /** Told of events that the API did not take. */
  readonly onError?: (error: unknown) => void;
}

interface Pending {
  readonly resource: Resource;
  readonly about: KubeObject;
  readonly event: NewEvent;
  readonly component: string;
}

const NAME_SUFFIX = 16;
/** More waiting events than this are dropped, as upstream's broadcaster drops them. */
const LONGEST_QUEUE = 10_000;

/**
 * Writes core/v1 Events in the background, one at a time: repeated ones as a count, floods of similar ones as one
 * (see `EventAggregator`). What can't be written is lost, as events may be.
 */
export class EventWriter {
  readonly #deps: EventWriterDeps;
  readonly #aggregator: EventAggregator;
  readonly #queue: Pending[] = [];
  #writing = false;

  constructor(deps: EventWriterDeps) {
    this.#deps = deps;
    this.#aggregator = new EventAggregator(deps);
  }

  /** Takes events about objects of `resource`, which names `component` as their source. */
  for(component: string, resource: Resource): Teller {
    return { event: (about, event) => this.#enqueue({ resource, about, event, component }) };
  }

  #enqueue(pending: Pending): void {
    if (this.#deps.signal?.aborted || this.#queue.length >= LONGEST_QUEUE) return;
    this.#queue.push(pending);
    if (!this.#writing) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#writing = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.#deps.signal?.aborted) break;
      await this.#write(next).catch((error: unknown) => this.#deps.onError?.(error));
    }
    this.#writing = false;
  }

  async #write(pending: Pending): Promise<void> {
    const decision = this.#aggregator.take(pending);
    if (decision.action === 'drop') return;
    const { client, clock, random } = this.#deps;
    const lastTimestamp = formatTimestamp(clock.now());
    if (decision.previous) {
      const body = { count: decision.count, lastTimestamp, message: decision.message };
      try {
        await client.patch(Events, decision.previous, { type: 'merge', body });
        return;
      } catch (error) {
        // It has expired: start a new one.
        if (!isNotFound(error)) throw error;
      }
    }
    const created = await client.create(Events, newEvent(pending, decision, lastTimestamp, random.suffix(NAME_SUFFIX)));
    decision.written({ name: created.metadata.name, namespace: created.metadata.namespace });
  }
}

function newEvent(
  { resource, about, event, component }: Pending,
  { message, count }: { readonly message: string; readonly count: number },
  time: string,
  suffix: string,
): Event {
  const { name, namespace, uid, resourceVersion } = about.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${suffix}`, namespace: namespace ?? 'default' },
    involvedObject: { apiVersion: apiVersionOf(resource), kind: resource.kind, name, namespace, uid, resourceVersion },
    reason: event.reason,
    message,
    type: event.type,
    count,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component },
    reportingComponent: component,
  };
}
