import type { Dispatcher } from 'undici';
import type {
  Client,
  DeleteOptions,
  ListOptions,
  ListResult,
  ObjectRef,
  Patch,
  Resource,
  Status,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { Clock } from './clock.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { jsonLines } from './json-lines.ts';
import type { KubeObject } from './objects.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { listQuery, queryString, resourcePath, writeQuery } from './request-path.ts';
import { apiVersionOf } from './resources.ts';

export interface HttpClientDeps {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** What the server logs and managedFields default to. */
  readonly userAgent: string;
  /** Holds requests back, as client-go's QPS and burst: all but watches. Absent means no limit. */
  readonly limiter?: RateLimiter;
}

interface Request {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** The body may be quiet for as long as it likes; its end is timed by the caller. */
  readonly stream?: boolean;
}

type Response = Dispatcher.ResponseData;

const CONTENT_TYPES: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Milliseconds. */
const ANSWER_TIMEOUT = 60_000;
const CONNECT_TIMEOUT = 10_000;
/** Added to a watch's own time-out before the connection is given up for dead. */
const WATCH_GRACE = 30_000;
const DEFAULT_WATCH_SECONDS = 600;
/** How often a read goes back to a server that says 429 with Retry-After. */
const READ_RETRIES = 5;

function connectionError(error: unknown): ConnectionError {
  const cause = error as { message?: string; code?: string };
  return new ConnectionError(cause.message || cause.code || 'no answer', { cause: error });
}

/** The Status of a refusal; servers and proxies in between may answer with something else than JSON. */
function statusOf(code: number, text: string): Status {
  try {
    const body = JSON.parse(text) as Status;
    if (body.kind === 'Status') return { code, ...body };
  } catch {
    // Not JSON: the text itself is the message.
  }
  const message = text.trim() || `the server answered with status ${code}`;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
}

/** The API over HTTP, to any cluster. Connections are kept and reused; one per open watch. */
export class HttpClient implements Client {
  readonly #deps: HttpClientDeps;
  readonly #basePath: string;
  #dispatcher: Promise<Dispatcher> | undefined;

  constructor(deps: HttpClientDeps) {
    this.#deps = deps;
    this.#basePath = new URL(deps.access.server).pathname.replace(/\/+$/, '');
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await (await this.#dispatcher)?.destroy();
  }

  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, signal?: AbortSignal): Promise<T> {
    return this.#json<T>({ method: 'GET', path: resourcePath(resource, ref), signal });
  }

  async list<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions = {},
    signal?: AbortSignal,
  ): Promise<ListResult<T>> {
    const path = resourcePath(resource, { namespace: options.namespace }) + queryString(listQuery(options));
    const list = await this.#json<{ items?: T[] | null; metadata: ListMeta }>({ method: 'GET', path, signal });
    const { resourceVersion = '', continue: next, remainingItemCount } = list.metadata;
    // Items of a list carry no kind of their own on the wire.
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return {
      items: (list.items ?? []).map((item) => (item.kind === undefined ? { ...type, ...item } : item)),
      resourceVersion,
      ...(next && { continue: next }),
      ...(remainingItemCount !== undefined && { remainingItemCount }),
    };
  }

  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    const query = queryString({ ...listQuery(options), watch: true });
    const path = resourcePath(resource, { namespace: options.namespace }) + query;
    const dead = new AbortController();
    const limit = (options.timeoutSeconds ?? DEFAULT_WATCH_SECONDS) * 1000 + WATCH_GRACE;
    const cancel = this.#deps.clock.setTimeout(() => dead.abort(new ConnectionError('the watch went silent')), limit);
    const either = AbortSignal.any([signal, dead.signal]);
    try {
      const response = await this.#send({ method: 'GET', path, signal: either, stream: true });
      response.body.setEncoding('utf8');
      for await (const event of jsonLines(response.body as AsyncIterable<string>)) yield event as WatchEvent<T>;
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof ApiError || error instanceof ConnectionError ? error : connectionError(error);
    } finally {
      cancel();
    }
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const { subresource } = options;
    const { namespace, name } = object.metadata;
    const path = resourcePath(resource, { namespace, ...(subresource && { name }) }, subresource);
    return this.#json({ method: 'POST', path: path + queryString(writeQuery(options)), body: object, signal });
  }

  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const path = resourcePath(resource, object.metadata, options.subresource);
    return this.#json({ method: 'PUT', path: path + queryString(writeQuery(options)), body: object, signal });
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const force = patch.type === 'apply' ? patch.force : undefined;
    const query = queryString({ ...writeQuery(options), force });
    const path = resourcePath(resource, ref, options.subresource) + query;
    return this.#json({ method: 'PATCH', path, body: patch.body, contentType: CONTENT_TYPES[patch.type], signal });
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    { dryRun, ...options }: DeleteOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun && { dryRun: ['All'] }) };
    await this.#json({ method: 'DELETE', path: resourcePath(resource, ref), body, signal });
  }

  /** The text at a path that is no resource, such as `/readyz` or `/openapi/v2`. */
  async raw(path: string, signal?: AbortSignal): Promise<string> {
    const response = await this.#send({ method: 'GET', path, signal });
    return await this.#text(response, signal);
  }

  async #json<T>(request: Request): Promise<T> {
    const response = await this.#send(request);
    const text = await this.#text(response, request.signal);
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw new ConnectionError(`the server's answer is not JSON: ${text.slice(0, 100)}`, { cause: error });
    }
  }

  async #text(response: Response, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await response.body.text();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw connectionError(error);
    }
  }

  /** Sends, and returns an answer that is a success; retries reads where that is safe. */
  async #send(request: Request): Promise<Response> {
    const { clock, limiter } = this.#deps;
    const read = request.method === 'GET';
    let reconnected = false;
    for (let attempt = 0; ; attempt++) {
      if (!request.stream) await limiter?.acquire(request.signal);
      let response: Response;
      try {
        response = await this.#dispatch(request);
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        // A kept connection may have been closed by the server just when it was taken up again.
        if (!read || reconnected || (error as { code?: string }).code !== 'UND_ERR_SOCKET')
          throw connectionError(error);
        reconnected = true;
        continue;
      }
      if (response.statusCode < 300) return response;
      const text = await this.#text(response, request.signal);
      const wait = Number(response.headers['retry-after']);
      if (!read || response.statusCode !== 429 || !(wait >= 0) || attempt >= READ_RETRIES) {
        throw new ApiError(statusOf(response.statusCode, text));
      }
      await clock.sleep(wait * 1000, request.signal);
    }
  }

  async #dispatch({ method, path, body, contentType, signal, stream }: Request): Promise<Response> {
    const { access, userAgent } = this.#deps;
    this.#dispatcher ??= this.#connect();
    const [dispatcher, identity] = await Promise.all([this.#dispatcher, access.headers()]);
    const headers: Record<string, string | string[]> = { accept: 'application/json', 'user-agent': userAgent };
    for (const [name, value] of Object.entries(identity))
      headers[name] = typeof value === 'string' ? value : [...value];
    if (body !== undefined) headers['content-type'] = contentType ?? 'application/json';
    return await dispatcher.request({
      origin: new URL(access.server).origin,
      path: this.#basePath + path,
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      ...(signal && { signal }),
      headersTimeout: ANSWER_TIMEOUT,
      bodyTimeout: stream ? 0 : ANSWER_TIMEOUT,
    });
  }

  async #connect(): Promise<Dispatcher> {
    const { Agent, ProxyAgent, Socks5ProxyAgent } = await import('undici');
    const { tls, proxyUrl } = this.#deps.access;
    const connect = { ...tls, timeout: CONNECT_TIMEOUT };
    if (proxyUrl?.startsWith('socks')) return new Socks5ProxyAgent(proxyUrl, { requestTls: connect });
    if (proxyUrl !== undefined) return new ProxyAgent({ uri: proxyUrl, requestTls: connect });
    return new Agent({ connect });
  }
}

interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
