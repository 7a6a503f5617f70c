import type { Resource } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import { groupResource } from '../kube/resources.ts';
import { EventWriter, type EventWriterDeps, type Teller } from './event-writer.ts';
import type { Event, Recorder } from './recorder.ts';

const DEDUPE_MS = 120_000;
const SWEEP_AT = 10_000;
const COMPONENT = 'karpenter';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Tells events once in their time and no more often than their limit, as upstream does (karpenter-core.md 12.1): an event is
 * marked as told before the limit is looked at, so one that the limit drops stays away for its whole window. How events come
 * to the API is the writer's business.
 */
export class EventRecorder implements Recorder {
  readonly #clock: Clock;
  readonly #writer: EventWriter;
  readonly #tellers = new Map<string, Teller>();
  readonly #told = new Map<string, number>();
  readonly #buckets = new Map<string, Bucket>();

  constructor(deps: EventWriterDeps) {
    this.#clock = deps.clock;
    this.#writer = new EventWriter(deps);
  }

  publish(...events: readonly Event[]): void {
    for (const event of events) {
      if (!this.#isNew(event) || !this.#isWithinLimit(event)) continue;
      this.#about(event.resource).event(event.object, event);
    }
  }

  #about(resource: Resource): Teller {
    const key = groupResource(resource);
    let teller = this.#tellers.get(key);
    if (!teller) {
      teller = this.#writer.for(COMPONENT, resource);
      this.#tellers.set(key, teller);
    }
    return teller;
  }

  #isNew(event: Event): boolean {
    if (!event.dedupe?.length) return true;
    const now = this.#clock.now();
    const key = [event.reason.toLowerCase(), ...event.dedupe].join('-');
    const until = this.#told.get(key);
    if (until !== undefined && until > now) return false;
    if (this.#told.size > SWEEP_AT) for (const [k, end] of this.#told) if (end <= now) this.#told.delete(k);
    this.#told.set(key, now + (event.dedupeMs ?? DEDUPE_MS));
    return true;
  }

  #isWithinLimit({ reason, limit }: Event): boolean {
    if (!limit) return true;
    const now = this.#clock.now();
    const bucket = this.#buckets.get(reason) ?? { tokens: limit.burst, at: now };
    const tokens = Math.min(limit.burst, bucket.tokens + ((now - bucket.at) / 1000) * limit.perSecond);
    this.#buckets.set(reason, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  }
}
