import type { Clock } from '../../kube/clock.ts';
import type { Pod } from '../../kube/objects.ts';
import type { PluginName } from './filter.ts';
import type { LabelShapes } from './label-shapes.ts';
import { type PodInfo, podInfo } from './pod-info.ts';
import { PriorityHeap } from './priority-heap.ts';
import { type ClusterChange, mayHelp, podChanged } from './requeue-hints.ts';

/** A pod that has yet to be placed. */
export interface QueuedPod {
  readonly info: PodInfo;
  /** Epoch milliseconds when it entered this line. */
  readonly since: number;
  /** Failures so far. */
  readonly attempts: number;
  readonly plugins: ReadonlySet<PluginName>;
}

type Place = 'active' | 'backoff' | 'unschedulable' | 'gated' | 'in-flight';

interface Entry extends QueuedPod {
  /** Decides between pods that came at the same time. */
  readonly order: number;
  place: Place;
  /** Earliest time of the next attempt. */
  readonly readyAt: number;
  /** The wait must be kept: the failure was not about the cluster but about the API. */
  readonly afterError: boolean;
  /** The last account of a failure, without its numbers, and when it was given. */
  readonly told?: { readonly gist: string; readonly at: number };
}

/** Milliseconds. */
const BACKOFF = { base: 1000, max: 10_000 };
const LONGEST_WAIT = 5 * 60_000;
/** An account that differs only in its numbers is not worth a write to the API more often than this. */
const SAME_NEWS = 10_000;

const backoff = (attempts: number): number => Math.min(BACKOFF.max, BACKOFF.base * 2 ** Math.max(0, attempts - 1));

const isGated = (pod: Pod): boolean => (pod.spec.schedulingGates ?? []).length > 0;

function activeFirst(a: Entry, b: Entry): boolean {
  if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority;
  return a.since === b.since ? a.order < b.order : a.since < b.since;
}

/**
 * Pods waiting for a node: by priority and then by age; after a failure aside until something happens that could help,
 * then back after a pause that doubles, or as soon as nobody else is in line.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #shapes: LabelShapes;
  readonly #entries = new Map<string, Entry>();
  /** Those of the entries that wait for a change. */
  readonly #waiting = new Map<string, Entry>();
  readonly #active = new PriorityHeap<Entry>(activeFirst);
  readonly #backoff = new PriorityHeap<Entry>((a, b) => a.readyAt < b.readyAt);
  #arrivals = 0;
  readonly #pauses = new Set<() => void>();
  #cancelFlush: (() => void) | undefined;

  /** @param deps.onReady called whenever `pop` may have something to give. */
  constructor(deps: { readonly clock: Clock; readonly shapes: LabelShapes; readonly onReady: () => void }) {
    this.#clock = deps.clock;
    this.#shapes = deps.shapes;
    this.#onReady = deps.onReady;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): QueuedPod | undefined {
    return this.#entries.get(key);
  }

  /** Takes in a pod, or a newer version of it. */
  put(pod: Pod): void {
    const info = podInfo(pod, this.#shapes);
    const known = this.#entries.get(info.key);
    const fresh = known === undefined || known.info.uid !== info.uid;
    if (!fresh && known.place !== 'gated' && !podChanged(known.info.pod, pod)) {
      this.#replace({ ...known, info }, known.place);
      return;
    }
    const entry: Entry = {
      info,
      since: fresh ? this.#clock.now() : known.since,
      order: fresh ? this.#arrivals++ : known.order,
      attempts: fresh ? 0 : known.attempts,
      plugins: new Set(),
      readyAt: 0,
      afterError: false,
      place: 'active',
    };
    const inFlight = !fresh && known.place === 'in-flight';
    this.#replace(entry, inFlight ? 'in-flight' : isGated(pod) ? 'gated' : 'active');
  }

  delete(key: string): void {
    this.#entries.delete(key);
    this.#waiting.delete(key);
  }

  /** The next pod to try; it stays known until `delete` or `failed`. */
  pop(): QueuedPod | undefined {
    const entry = this.#take(this.#active, 'active') ?? this.#take(this.#backoff, 'backoff');
    if (entry === undefined) return undefined;
    entry.place = 'in-flight';
    return entry;
  }

  /**
   * The pod fits nowhere now, because of these plugins.
   *
   * @returns whether `message` is news. While nodes come and go, thousands of waiting pods would be written to again and
   *   again only because one node more won't do either.
   */
  unschedulable(key: string, plugins: ReadonlySet<PluginName>, message: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    const now = this.#clock.now();
    const gist = message.replace(/\d+/g, '#');
    const news = entry.told?.gist !== gist || now - entry.told.at >= SAME_NEWS;
    const attempts = entry.attempts + 1;
    const told = news ? { gist, at: now } : entry.told;
    const readyAt = now + backoff(attempts);
    this.#replace({ ...entry, attempts, plugins, readyAt, afterError: false, ...(told && { told }) }, 'unschedulable');
    this.#scheduleFlush();
    return news;
  }

  /** The attempt failed for a reason that has nothing to do with the cluster's shape. */
  failed(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const attempts = entry.attempts + 1;
    const wait = backoff(attempts);
    const readyAt = this.#clock.now() + wait;
    this.#entries.set(key, { ...entry, attempts, readyAt, afterError: true, place: 'backoff' });
    const cancel = this.#clock.setTimeout(() => {
      this.#pauses.delete(cancel);
      const now = this.#entries.get(key);
      if (now?.place === 'backoff' && now.readyAt === readyAt) this.#replace(now, 'active');
    }, wait);
    this.#pauses.add(cancel);
  }

  /**
   * Lets those try again that the change may help.
   *
   * @param concerns a closer look at a pod that waits for such a change.
   */
  changed(change: ClusterChange, concerns: (waiting: PodInfo) => boolean = () => true): void {
    for (const entry of [...this.#waiting.values()]) {
      if (mayHelp(change, entry.plugins) && concerns(entry.info)) this.#retry(entry);
    }
  }

  /**
   * A node came or changed: lets those try again that it would take.
   *
   * @param refusedBy what keeps a pod off the node; from then on the pod waits for that plugin's changes too, so that no
   *   later one goes unnoticed although the pod was not tried again.
   */
  nodeChanged(refusedBy: (waiting: PodInfo) => PluginName | undefined): void {
    for (const entry of [...this.#waiting.values()]) {
      if (!mayHelp('node', entry.plugins)) continue;
      const plugin = refusedBy(entry.info);
      if (plugin === undefined) this.#retry(entry);
      else if (entry.plugins.size > 0 && !entry.plugins.has(plugin)) {
        this.#replace({ ...entry, plugins: new Set([...entry.plugins, plugin]) }, 'unschedulable');
      }
    }
  }

  #retry(entry: Entry): void {
    this.#replace(entry, entry.readyAt <= this.#clock.now() ? 'active' : 'backoff');
  }

  #replace(entry: Entry, place: Place): void {
    const next = { ...entry, place };
    const { key } = entry.info;
    this.#entries.set(key, next);
    if (place === 'unschedulable') this.#waiting.set(key, next);
    else this.#waiting.delete(key);
    if (place === 'active') this.#active.push(next);
    else if (place === 'backoff' && !entry.afterError) this.#backoff.push(next);
    if (place === 'active' || place === 'backoff') this.#onReady();
  }

  /** The heaps keep what has moved on since; only what is still where it was counts. */
  #take(heap: PriorityHeap<Entry>, place: Place): Entry | undefined {
    for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) {
      if (this.#entries.get(entry.info.key) === entry && entry.place === place) return entry;
    }
    return undefined;
  }

  /** Nobody waits for ever: hints can miss something. */
  #scheduleFlush(): void {
    this.#cancelFlush ??= this.#clock.setTimeout(() => {
      this.#cancelFlush = undefined;
      if (this.#waiting.size > 0) this.#scheduleFlush();
      for (const entry of [...this.#waiting.values()]) {
        if (this.#clock.now() >= entry.readyAt) this.#retry(entry);
      }
    }, LONGEST_WAIT);
  }

  /** Lets go of timers. */
  close(): void {
    this.#cancelFlush?.();
    for (const cancel of this.#pauses) cancel();
    this.#pauses.clear();
  }
}
