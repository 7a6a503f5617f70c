import type { KubeObject } from './objects.ts';

/** One resource of the API, and the type its objects have in this code. Constants are in `resources.ts`. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in the URL. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Carries `T` only for the type checker; never set. */
  readonly objectType?: T;
}

export interface ListOptions {
  /** Absent means all namespaces. */
  readonly namespace?: string;
  /** In the query syntax of Kubernetes, for example `app=web,tier in (a,b)`. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface ListResult<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  /** `object` is the API's Status, for example code 410 reason Expired. */
  | { readonly type: 'ERROR'; readonly object: Status };

/** metav1.Status, what the API answers when it refuses. */
export interface Status {
  readonly kind?: 'Status';
  readonly apiVersion?: 'v1';
  readonly status?: 'Success' | 'Failure';
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
    readonly retryAfterSeconds?: number;
  };
}

export type Patch =
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'strategic'; readonly body: unknown }
  | { readonly type: 'apply'; readonly body: unknown; readonly force?: boolean };

export interface WriteOptions {
  /** For example `status`, `scale`, `binding`, `eviction`. */
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** Where an object is: `namespace` for namespaced kinds only. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string;
}

/**
 * What controllers know of a Kubernetes API. Two implementations: `HttpClient` (any cluster) and the embedded API's
 * `DirectClient`; both pass the same case table. Every method throws `ApiError` for a refusal by the API and
 * `ConnectionError` when there was no answer. Returned objects may be shared and frozen: copy before changing.
 */
export interface Client {
  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, signal?: AbortSignal): Promise<T>;
  list<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions,
    signal?: AbortSignal,
  ): Promise<ListResult<T>>;
  /** Ends when the server ends the stream or the signal aborts; throws `ConnectionError` if it breaks. */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
  /** With a subresource (`binding`, `eviction`, `token`) the object is posted to it, at `ref` of the object's own name. */
  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<T>;
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Resolves when the API has accepted the deletion, which may only have set deletionTimestamp. */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<void>;
}
