import type {
  Client,
  DeleteOptions,
  ListOptions,
  ListResult,
  ObjectRef,
  Patch,
  Resource,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../kube/client.ts';
import type { KubeObject } from '../kube/objects.ts';
import { resourceNotFound } from './api-refusals.ts';
import type { Json, JsonObject } from './kind.ts';
import { namespaceOf } from './object-meta.ts';
import type { Catalog } from './registry/catalog.ts';
import type { PatchBody } from './registry/patch-object.ts';
import type { Registry } from './registry/registry.ts';
import type { ResourceRequest, UserInfo, WriteRequest } from './registry/request.ts';
import type { ObjectEvent } from './registry/watch-objects.ts';

export interface DirectClientDeps {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly user: UserInfo;
  /** The name in managedFields of writes that give none. */
  readonly fieldManager: string;
}

/**
 * A Client straight into the store: no HTTP, no copying. Objects it returns are the stored ones, deeply frozen, and two
 * reads of an unchanged object give the same one.
 */
export class DirectClient implements Client {
  readonly #deps: DirectClientDeps;

  constructor(deps: DirectClientDeps) {
    this.#deps = deps;
  }

  async get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    return this.#deps.registry.get(this.#request(resource, ref)) as unknown as T;
  }

  async list<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions = {},
    signal?: AbortSignal,
  ): Promise<ListResult<T>> {
    signal?.throwIfAborted();
    const { namespace, ...query } = options;
    const target = this.#request(resource, namespace ? { name: '', namespace } : { name: '' });
    return this.#deps.registry.list(target, query) as unknown as ListResult<T>;
  }

  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    signal.throwIfAborted();
    const { namespace, timeoutSeconds: _, ...query } = options;
    const waiting: ObjectEvent[] = [];
    let wake: (() => void) | undefined;
    const target = this.#request(resource, namespace ? { name: '', namespace } : { name: '' });
    const watching = this.#deps.registry.watch(target, query, (event) => {
      waiting.push(event);
      wake?.();
    });
    const onAbort = (): void => wake?.();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const batch = waiting.splice(0);
        for (const event of batch) {
          if (signal.aborted) return;
          yield event as unknown as WatchEvent<T>;
          if (event.type === 'ERROR') return;
        }
        if (waiting.length > 0 || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    } finally {
      watching.stop();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    const body = object as unknown as JsonObject;
    const { name, namespace } = object.metadata;
    const ref = { name: options.subresource ? name : '', ...(namespace ? { namespace } : {}) };
    return (await this.#deps.registry.create(this.#write(resource, ref, options), body)) as unknown as T;
  }

  async update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    const body = object as unknown as JsonObject;
    const namespace = namespaceOf(body);
    const ref = { name: object.metadata.name, ...(namespace ? { namespace } : {}) };
    const written = await this.#deps.registry.update(this.#write(resource, ref, options), body);
    return written.object as unknown as T;
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    const body = patch.body as Json;
    const plain: PatchBody =
      patch.type === 'apply' ? { type: 'apply', body, force: patch.force ?? false } : { type: patch.type, body };
    const written = await this.#deps.registry.patch(this.#write(resource, ref, options), plain);
    return written.object as unknown as T;
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { dryRun, ...query } = options;
    await this.#deps.registry.delete(this.#write(resource, ref, { dryRun: dryRun ?? false }), query);
  }

  #request<T extends KubeObject>({ group, version, plural }: Resource<T>, ref: ObjectRef): ResourceRequest {
    const resource = this.#deps.catalog.find(group, version, plural);
    if (!resource) throw resourceNotFound();
    const { user } = this.#deps;
    return { resource, namespace: ref.namespace ?? '', name: ref.name, subresource: '', user, warn: () => undefined };
  }

  #write<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options: WriteOptions): WriteRequest {
    return {
      ...this.#request(resource, ref),
      subresource: options.subresource ?? '',
      dryRun: options.dryRun ?? false,
      fieldManager: options.fieldManager ?? this.#deps.fieldManager,
      fieldValidation: options.fieldValidation ?? 'Ignore',
    };
  }
}
