import type { ObjectRef, Resource } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { NewEvent } from './event-writer.ts';
import { RecentMemory } from './recent-memory.ts';

/** client-go's EventCorrelator: from this many different messages of one reason on, they are written as one. */
const MANY_SIMILAR = 10;
const SIMILAR_WITHIN = 600_000;
/** Per source and object: so many at once, then one in five minutes. */
const BURST = 25;
const REFILL = 300_000;
/** Objects remembered. */
const MEMORY = 4096;

export interface Occurrence {
  readonly resource: Resource;
  readonly about: KubeObject;
  readonly event: NewEvent;
  readonly component: string;
}

export type EventDecision =
  | { readonly action: 'drop' }
  | {
      readonly action: 'write';
      readonly message: string;
      readonly count: number;
      /** The event object to count up, if there is one. */
      readonly previous: ObjectRef | undefined;
      /** To be told of the new event object. */
      written(ref: ObjectRef): void;
    };

interface Group {
  readonly messages: Set<string>;
  last: number;
}

interface Counted {
  count: number;
  ref: ObjectRef | undefined;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Decides what becomes of an event: a new object, one more of the same, part of a flood, or nothing. */
export class EventAggregator {
  readonly #clock: Clock;
  readonly #groups = new RecentMemory<Group>(MEMORY);
  readonly #counted = new RecentMemory<Counted>(MEMORY);
  readonly #buckets = new RecentMemory<Bucket>(MEMORY);

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  take({ resource, about, event, component }: Occurrence): EventDecision {
    const object = `${component} ${about.metadata.uid ?? ''} ${resource.kind} ${about.metadata.namespace}/${about.metadata.name}`;
    const group = this.#groupOf(`${object} ${event.type} ${event.reason}`);
    group.messages.add(event.message);
    const flood = group.messages.size > MANY_SIMILAR;
    const message = flood ? `(combined from similar events): ${event.message}` : event.message;
    const counted = this.#counted.recall(`${object} ${event.reason} ${flood ? '' : message}`, () => ({
      count: 0,
      ref: undefined,
    }));
    counted.count++;
    if (!this.#allows(object)) return { action: 'drop' };
    return {
      action: 'write',
      message,
      count: counted.count,
      previous: counted.ref,
      written: (ref) => {
        counted.ref = ref;
      },
    };
  }

  #groupOf(key: string): Group {
    const now = this.#clock.now();
    const group = this.#groups.recall(key, () => ({ messages: new Set<string>(), last: now }));
    if (now - group.last > SIMILAR_WITHIN) group.messages.clear();
    group.last = now;
    return group;
  }

  #allows(key: string): boolean {
    const now = this.#clock.now();
    const bucket = this.#buckets.recall(key, () => ({ tokens: BURST, at: now }));
    bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.at) / REFILL);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
