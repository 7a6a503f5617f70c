import type { Client, Resource } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import type { Change } from '../kube/informer.ts';
import type { Informers } from '../kube/informers.ts';
import { mergePatch } from '../kube/merge-patch.ts';
import { keyOf, refKey } from '../kube/object-key.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { Reader } from '../kube/store.ts';
import { formatTimestamp } from '../kube/timestamp.ts';

interface WithStatus extends KubeObject {
  readonly status?: unknown;
}

export interface PatchOptions {
  /**
   * Fail with a conflict if somebody else has changed the object since `before` was read. For lists, which a merge patch
   * replaces whole.
   */
  readonly lock?: boolean;
}

export interface ObjectsDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly informers: Informers;
}

/**
 * Objects of one kind, read from the informer's cache and written as patches. What was written or deleted is seen by the
 * next read even if the watch has not brought it yet: a controller that saw its own object's past would launch or count
 * twice. Upstream sleeps for a second after such a write instead.
 */
export class Objects<T extends WithStatus> {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #resource: Resource<T>;
  readonly #reader: Reader<T>;
  readonly #written = new Map<string, T>();
  /** When this process had objects deleted that the watch still shows as if nothing had happened, by uid. */
  readonly #deleted = new Map<string, string>();

  constructor({ client, clock, informers }: ObjectsDeps, resource: Resource<T>) {
    this.#client = client;
    this.#clock = clock;
    this.#resource = resource;
    const informer = informers.for(resource);
    this.#reader = informer.store;
    informer.onChange((change) => this.#forget(change));
  }

  /** The newest state known; undefined when there is no such object. */
  get(key: string): T | undefined {
    return this.#newest(key, this.#reader.get(key));
  }

  list(): readonly T[] {
    const cached = this.#reader.list();
    if (this.#written.size + this.#deleted.size === 0) return cached;
    return cached.map((object) => this.#newest(keyOf(object), object) ?? object);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#reader.byIndex(index, value).map((object) => this.#newest(keyOf(object), object) ?? object);
  }

  /** Writes what differs outside `status`; answers the object as it is afterwards. */
  async patch(before: T, after: T, options: PatchOptions = {}, signal?: AbortSignal): Promise<T> {
    const { status: _, ...from } = before;
    const { status: __, ...to } = after;
    return await this.#write(before, mergePatch(from, to), options, undefined, signal);
  }

  /** Writes what differs in `status`. */
  async patchStatus(before: T, after: T, options: PatchOptions = {}, signal?: AbortSignal): Promise<T> {
    const patch = mergePatch({ status: before.status ?? {} }, { status: after.status ?? {} });
    return await this.#write(before, patch, options, 'status', signal);
  }

  /**
   * Asks the API to delete exactly this object; one with finalizers has a deletionTimestamp from now on.
   *
   * @throws ApiError NotFound when it is gone, Conflict when another has taken its name.
   */
  async delete(object: T, signal?: AbortSignal): Promise<void> {
    const { name, namespace, uid } = object.metadata;
    const ref = namespace ? { name, namespace } : { name };
    const time = formatTimestamp(this.#clock.now());
    await this.#client.delete(this.#resource, ref, uid ? { preconditions: { uid } } : {}, signal);
    const cached = this.#reader.get(keyOf(object));
    if (uid && cached?.metadata.uid === uid && !cached.metadata.deletionTimestamp) this.#deleted.set(uid, time);
  }

  /**
   * Notes an object that this process has just written by other means. What the watch has brought already, or has taken
   * away, is not kept: nothing would ever remove it.
   */
  note(object: T): T {
    const key = keyOf(object);
    const cached = this.#reader.get(key);
    if (cached?.metadata.uid !== object.metadata.uid || !cached) return object;
    if (version(cached.metadata) < version(object.metadata)) this.#written.set(key, object);
    return object;
  }

  async #write(
    before: T,
    patch: Record<string, unknown> | undefined,
    { lock }: PatchOptions,
    subresource: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (!patch) return before;
    const { name, namespace, resourceVersion, uid } = before.metadata;
    const metadata = { ...(patch.metadata as object | undefined), uid, ...(lock ? { resourceVersion } : {}) };
    const body = { ...patch, metadata };
    const ref = namespace ? { name, namespace } : { name };
    const options = subresource ? { subresource } : {};
    return this.note(await this.#client.patch(this.#resource, ref, { type: 'merge', body }, options, signal));
  }

  /** The watch has caught up with what was written. */
  #forget({ type, object: { metadata } }: Change<T>): void {
    const key = refKey(metadata);
    const written = this.#written.get(key);
    if (written && (type === 'Deleted' || version(metadata) >= version(written.metadata))) this.#written.delete(key);
    if (type === 'Deleted' || metadata.deletionTimestamp) this.#deleted.delete(metadata.uid ?? '');
  }

  #newest(key: string, cached: T | undefined): T | undefined {
    const written = this.#written.get(key);
    const isNewer =
      written &&
      cached?.metadata.uid === written.metadata.uid &&
      version(written.metadata) > version(cached?.metadata ?? {});
    const newest = isNewer ? written : cached;
    const deletionTimestamp = this.#deleted.get(newest?.metadata.uid ?? '');
    if (!newest || deletionTimestamp === undefined || newest.metadata.deletionTimestamp) return newest;
    return { ...newest, metadata: { ...newest.metadata, deletionTimestamp } };
  }
}

/** Versions of one resource grow, which the API promises since 1.35. */
const version = ({ resourceVersion }: { readonly resourceVersion?: string }): number => Number(resourceVersion ?? 0);
