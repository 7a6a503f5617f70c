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
import type { Clock } from '../kube/clock.ts';
import { ApiError } from '../kube/errors.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { Metrics } from '../metrics/metrics.ts';

export interface MeasuredClientDeps {
  readonly client: Client;
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'count' | 'observe'>;
}

/** Of requests that got no answer; client-go's word. */
const NO_ANSWER = '<error>';

interface Request {
  /** As in `client_go_request_duration_seconds`, and the HTTP method. */
  readonly verb: string;
  readonly method: string;
  readonly subresource?: string | undefined;
  /** The status of a success. */
  readonly code?: number;
}

/** Measures the requests of another client, as client-go does (karpenter-core.md 11.7.32); of watches only their answers. */
export class MeasuredClient implements Client {
  readonly #deps: MeasuredClientDeps;

  constructor(deps: MeasuredClientDeps) {
    this.#deps = deps;
  }

  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, signal?: AbortSignal): Promise<T> {
    return this.#measure(resource, { verb: 'GET', method: 'GET' }, (client) => client.get(resource, ref, signal));
  }

  list<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions,
    signal?: AbortSignal,
  ): Promise<ListResult<T>> {
    return this.#measure(resource, { verb: 'LIST', method: 'GET' }, (client) => client.list(resource, options, signal));
  }

  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    let answered = false;
    const note = (code: string): void => {
      if (!answered) this.#deps.metrics.count('client_go_request_total', { code, method: 'GET' });
      answered = true;
    };
    try {
      for await (const event of this.#deps.client.watch(resource, options, signal)) {
        note('200');
        yield event;
      }
      note('200');
    } catch (error) {
      note(codeOf(error));
      throw error;
    }
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const request = { verb: 'CREATE', method: 'POST', subresource: options.subresource, code: 201 };
    return this.#measure(resource, request, (client) => client.create(resource, object, options, signal));
  }

  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const request = { verb: 'UPDATE', method: 'PUT', subresource: options.subresource };
    return this.#measure(resource, request, (client) => client.update(resource, object, options, signal));
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const request = { verb: 'PATCH', method: 'PATCH', subresource: options.subresource };
    return this.#measure(resource, request, (client) => client.patch(resource, ref, patch, options, signal));
  }

  delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<void> {
    const request = { verb: 'DELETE', method: 'DELETE' };
    return this.#measure(resource, request, (client) => client.delete(resource, ref, options, signal));
  }

  async #measure<R>(
    { group, version, plural }: Resource,
    { verb, method, subresource = '', code = 200 }: Request,
    send: (client: Client) => Promise<R>,
  ): Promise<R> {
    const { client, clock, metrics } = this.#deps;
    const start = clock.now();
    try {
      const answer = await send(client);
      metrics.count('client_go_request_total', { code: String(code), method });
      return answer;
    } catch (error) {
      metrics.count('client_go_request_total', { code: codeOf(error), method });
      throw error;
    } finally {
      const labels = { verb, group, version, kind: plural, subresource };
      metrics.observe('client_go_request_duration_seconds', (clock.now() - start) / 1000, labels);
    }
  }
}

const codeOf = (error: unknown): string => (error instanceof ApiError ? String(error.code) : NO_ANSWER);
