import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '../../kube/clock.ts';
import { ApiError } from '../../kube/errors.ts';
import { badRequest, internalError, unauthorized } from '../api-refusals.ts';
import type { UserInfo } from '../registry/request.ts';
import { type Answer, type ProtobufWriter, refusalAnswer, sendAnswer } from './answer.ts';
import { type Authorizer, attributesOf, authorize } from './authorize.ts';
import { impersonated } from './impersonate.ts';
import { negotiate } from './negotiate.ts';
import type { PathHandler } from './path-handler.ts';
import { parseRequestPath, type RequestPath } from './request-path.ts';
import { type Incoming, type ResourceHandler, verbOf } from './resource-handler.ts';

/** Who a request's credentials belong to: undefined without any; 'invalid' for ones that nobody has. */
export type Authenticator = (request: IncomingMessage) => UserInfo | undefined | 'invalid';

export interface ApiHandlerDeps {
  readonly resources: ResourceHandler;
  readonly paths: PathHandler;
  readonly authenticate: Authenticator;
  readonly may: Authorizer;
  readonly random: Random;
  /** Called when the first answer of that kind goes out. */
  readonly protobuf: () => Promise<ProtobufWriter>;
  /**
   * Passes a request on to the server that an API is at. Resolves to undefined once that has been done, or to what there is to
   * answer; false for what is this server's own.
   */
  readonly forward?: (
    path: string,
    user: UserInfo,
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<Answer | undefined> | false;
}

const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
interface Target {
  /** As it came: dots and doubled slashes mean nothing here. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function targetOf(url: string): Target {
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

const browsers = /^(curl|Wget|Mozilla\/)/;

/** What a request could not be carried out for; faults of the request itself are not the server's. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof URIError) return badRequest('invalid URL escape');
  const tooDeep = error instanceof RangeError && error.message.includes('call stack');
  return tooDeep ? badRequest('exceeded max depth') : internalError(String(error));
}

/** The whole of one request: who, may they, what, and the answer. Never rejects. */
export class ApiHandler {
  readonly #deps: ApiHandlerDeps;
  readonly #priority: { readonly flowSchema: string; readonly level: string };

  constructor(deps: ApiHandlerDeps) {
    this.#deps = deps;
    this.#priority = { flowSchema: deps.random.uuid(), level: deps.random.uuid() };
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = targetOf(request.url ?? '/');
    const warnings: string[] = [];
    const encoding =
      negotiate(request.headers.accept, { discovery: url.path.startsWith('/api') && url.path.length < 6 })?.encoding ??
      'json';
    this.#setHeaders(request, response);
    let answer: Answer | undefined;
    try {
      answer = await this.#answer(request, response, url, (text) => {
        if (!warnings.includes(text)) warnings.push(text);
      });
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      answer = refusalAnswer(refusalOf(error));
      if (answer.status === 403) response.setHeader('X-Content-Type-Options', 'nosniff');
    }
    if (!answer) return;
    const pretty = url.query.get('pretty');
    const agent = request.headers['user-agent'] ?? '';
    await sendAnswer(response, answer, {
      protobuf: this.#deps.protobuf,
      encoding: answer.status === 404 && typeof answer.body === 'string' ? 'json' : encoding,
      pretty: pretty === null ? browsers.test(agent) : pretty !== 'false' && pretty !== '0',
      warnings,
      headOnly: request.method === 'HEAD',
    });
    if (!request.readableEnded) request.resume();
  }

  #setHeaders(request: IncomingMessage, response: ServerResponse): void {
    const audit = request.headers['audit-id'];
    response.setHeader('Audit-Id', typeof audit === 'string' ? audit : this.#deps.random.uuid());
    response.setHeader('Cache-Control', 'no-cache, private');
    response.setHeader('X-Kubernetes-Pf-Flowschema-Uid', this.#priority.flowSchema);
    response.setHeader('X-Kubernetes-Pf-Prioritylevel-Uid', this.#priority.level);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: Target,
    warn: (text: string) => void,
  ): Promise<Answer | undefined> {
    const { authenticate, may, resources, paths } = this.#deps;
    const known = authenticate(request);
    if (known === 'invalid') throw unauthorized();
    const asking = known ?? anonymous;
    const method = request.method ?? 'GET';
    const path: RequestPath = parseRequestPath(url.path);
    const query = url.query;
    const verb = path.type === 'resource' ? verbOf({ method, path, query }) : '';
    const attributes = attributesOf(path, verb, method, query);
    const user = impersonated(request.headers, asking, attributes, may) ?? asking;
    authorize(may, user, attributes);
    const forwarded = this.#deps.forward?.(url.path, user, request, response);
    if (forwarded) return forwarded;
    if (path.type === 'other') {
      return paths.handle({
        method,
        path: url.path,
        query,
        accept: request.headers.accept,
        headers: request.headers,
      });
    }
    const incoming: Incoming = { request, response, method, path, query, user, warn };
    return resources.handle(incoming);
  }
}
