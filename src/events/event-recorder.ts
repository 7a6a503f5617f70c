import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import type { Event as KubeEvent } from '../kube/objects.ts';
import { apiVersionOf, Events } from '../kube/resources.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import type { Event, Recorder } from './recorder.ts';

const DEDUPE_MS = 120_000;
const SWEEP_AT = 10_000;
/** Events written at the same time, and those that may wait for it; what comes beyond is lost, as events may be. */
const WRITERS = 10;
const LONGEST_QUEUE = 10_000;
/** Events of cluster-scoped objects are kept here. */
const DEFAULT_NAMESPACE = 'default';
const COMPONENT = 'karpenter';

interface Bucket {
  tokens: number;
  at: number;
}

export interface EventRecorderDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of events that the API did not take. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Writes events to the API, deduplicated and rate-limited as upstream does (karpenter-core.md 12.1): an event is marked as
 * told before the limit is looked at, so one that the limit drops stays away for its whole window.
 */
export class EventRecorder implements Recorder {
  readonly #deps: EventRecorderDeps;
  readonly #told = new Map<string, number>();
  readonly #buckets = new Map<string, Bucket>();
  readonly #queue: KubeEvent[] = [];
  #writing = 0;

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps;
  }

  publish(...events: readonly Event[]): void {
    for (const event of events) {
      if (!this.#isNew(event) || !this.#isWithinLimit(event)) continue;
      if (this.#queue.length < LONGEST_QUEUE) this.#queue.push(this.#toObject(event));
      if (this.#writing < WRITERS) void this.#write();
    }
  }

  async #write(): Promise<void> {
    this.#writing++;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      try {
        await this.#deps.client.create(Events, event);
      } catch (error) {
        this.#deps.onError?.(error);
      }
    }
    this.#writing--;
  }

  #isNew(event: Event): boolean {
    if (!event.dedupe?.length) return true;
    const now = this.#deps.clock.now();
    const key = [event.reason.toLowerCase(), ...event.dedupe].join('-');
    const until = this.#told.get(key);
    if (until !== undefined && until > now) return false;
    if (this.#told.size > SWEEP_AT) for (const [k, end] of this.#told) if (end <= now) this.#told.delete(k);
    this.#told.set(key, now + (event.dedupeMs ?? DEDUPE_MS));
    return true;
  }

  #isWithinLimit({ reason, limit }: Event): boolean {
    if (!limit) return true;
    const now = this.#deps.clock.now();
    const bucket = this.#buckets.get(reason) ?? { tokens: limit.burst, at: now };
    const tokens = Math.min(limit.burst, bucket.tokens + ((now - bucket.at) / 1000) * limit.perSecond);
    this.#buckets.set(reason, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  }

  #toObject({ resource, object, type, reason, message }: Event): KubeEvent {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const now = formatTimestamp(this.#deps.clock.now());
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${name}.${this.#deps.random.suffix(16)}`,
        namespace: namespace ?? DEFAULT_NAMESPACE,
      },
      involvedObject: {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        name,
        ...(namespace ? { namespace } : {}),
        ...(uid ? { uid } : {}),
        ...(resourceVersion ? { resourceVersion } : {}),
      },
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component: COMPONENT },
      reportingComponent: COMPONENT,
      reportingInstance: '',
    };
  }
}
