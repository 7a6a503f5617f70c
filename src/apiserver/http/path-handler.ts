import { createHash } from 'node:crypto';
import { methodNotAllowed, notAcceptable, resourceNotFound } from '../api-refusals.ts';
import { issuer } from '../auth/tokens.ts';
import type { RemoteGroups } from '../discovery/remote-discovery.ts';
import { aggregatedDiscovery, coreVersions, groupList, groupOf, resourceList } from '../discovery/resource-lists.ts';
import type { JsonObject } from '../kind.ts';
import type { Catalog } from '../registry/catalog.ts';
import type { Answer } from './answer.ts';
import { negotiate } from './negotiate.ts';
import { pageNotFound } from './page-not-found.ts';
import { acceptedTypes } from './resource-handler.ts';

export interface OpenApiSource {
  /** The answer for a path below /openapi; undefined for one that isn't there. */
  answer(path: string, query: URLSearchParams, headers: Readonly<Record<string, unknown>>): Promise<Answer | undefined>;
}

export interface PathHandlerDeps {
  readonly catalog: Catalog;
  readonly openApi?: OpenApiSource;
  readonly remote?: RemoteGroups;
  /** What service accounts' tokens are checked with. */
  readonly tokenKeys?: () => Promise<JsonObject>;
  /** `host:port`, for clients that ask for the server's address. */
  readonly address: () => string;
}

export interface PathRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

const keysPath = '/openid/v1/jwks';
const configurationPath = '/.well-known/openid-configuration';
const checks = ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', 'shutdown'];
const aggregatedForm = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const aggregatedTypes = {
  json: `application/json;${aggregatedForm}`,
  yaml: `application/yaml;${aggregatedForm}`,
  protobuf: `application/vnd.kubernetes.protobuf;${aggregatedForm}`,
};

export const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'gc',
  platform: '',
};

/** Answers everything that isn't a resource: discovery, health, version, OpenAPI. Throws ApiError. */
export class PathHandler {
  readonly #deps: PathHandlerDeps;

  constructor(deps: PathHandlerDeps) {
    this.#deps = deps;
  }

  async handle(request: PathRequest): Promise<Answer> {
    const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
    if (path === '/api' || path === '/apis') return this.#groups(request, path === '/api');
    const parts = path.split('/').slice(1);
    if (parts[0] === 'apis' || parts[0] === 'api') return this.#discovery(parts, request.method);
    if (parts[0] === 'openapi' && this.#deps.openApi) {
      const found = await this.#deps.openApi.answer(path, request.query, request.headers);
      if (found) return found;
    }
    if (path === '/version' && request.method !== 'GET') throw methodNotAllowed();
    if (path === '/version') return { status: 200, body: version };
    if (path === '/') return { status: 200, body: { paths: this.#paths() } };
    const openId = await this.#openId(path);
    if (openId) return openId;
    const health = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path);
    if (health?.[1]) return healthAnswer(health[1], health[2], request.query);
    if (path === '/metrics') return { status: 200, body: '', contentType: 'text/plain; version=0.0.4; charset=utf-8' };
    return pageNotFound;
  }

  /** How others learn to check the tokens of service accounts (OpenID Connect discovery). */
  async #openId(path: string): Promise<Answer | undefined> {
    const { tokenKeys, address } = this.#deps;
    const headers = { 'Cache-Control': 'public, max-age=3600' };
    if (tokenKeys === undefined) return undefined;
    if (path === keysPath) {
      return { status: 200, body: JSON.stringify(await tokenKeys()), contentType: 'application/jwk-set+json', headers };
    }
    if (path !== configurationPath) return undefined;
    const configuration = {
      issuer,
      jwks_uri: `https://${address()}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
    return { status: 200, body: JSON.stringify(configuration), contentType: 'application/json', headers };
  }

  #groups({ accept }: PathRequest, core: boolean): Answer {
    const { catalog, address, remote } = this.#deps;
    const negotiated = negotiate(accept, { discovery: true });
    if (!negotiated) throw notAcceptable(acceptedTypes);
    if (!negotiated.aggregated)
      return { status: 200, body: core ? coreVersions(address()) : groupList(catalog, remote) };
    const body = aggregatedDiscovery(catalog, core, remote);
    const hash = createHash('sha512').update(JSON.stringify(body)).digest('hex').toUpperCase();
    return {
      status: 200,
      body,
      contentType: aggregatedTypes[negotiated.encoding],
      headers: { ETag: `"${hash}"`, Vary: 'Accept' },
    };
  }

  #discovery(parts: readonly string[], method: string): Answer {
    const { catalog, remote } = this.#deps;
    const [root, first = '', second = '', ...rest] = parts;
    if (rest.length > 0) throw resourceNotFound();
    if (root === 'api') {
      const list = second === '' ? resourceList(catalog, '', first) : undefined;
      if (!list) throw resourceNotFound();
      return { status: 200, body: list };
    }
    const body = second === '' ? groupOf(catalog, first, remote) : resourceList(catalog, first, second);
    if (body && method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
    if (body) return { status: 200, body };
    return pageNotFound;
  }

  #paths(): readonly string[] {
    const groups = this.#deps.catalog.groups();
    const own = [
      configurationPath,
      '/api',
      '/api/v1',
      '/apis',
      '/apis/',
      '/healthz',
      '/livez',
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      keysPath,
      '/readyz',
      '/version',
    ];
    const named = groups
      .filter(({ name }) => name !== '')
      .flatMap(({ name, versions }) => [`/apis/${name}`, ...versions.map((one) => `/apis/${name}/${one}`)]);
    const health = ['healthz', 'livez', 'readyz'].flatMap((kind) => checks.map((check) => `/${kind}/${check}`));
    return [...own, ...named, ...health].sort();
  }
}

function healthAnswer(kind: string, check: string | undefined, query: URLSearchParams): Answer {
  const options = { 'X-Content-Type-Options': 'nosniff' };
  if (check !== undefined && !checks.includes(check)) return pageNotFound;
  if (check !== undefined || !query.has('verbose')) return { status: 200, body: 'ok', headers: options };
  const excluded = query.getAll('exclude');
  const lines = checks.map((name) => `[+]${name} ${excluded.includes(name) ? 'excluded: ok' : 'ok'}\n`).join('');
  const unknown = excluded.filter((name) => !checks.includes(name)).map((name) => `"${name}"`);
  const warning =
    unknown.length > 0 ? `warn: some health checks cannot be excluded: no matches for ${unknown.join(', ')}\n` : '';
  return { status: 200, body: `${lines}${warning}${kind} check passed\n`, headers: options };
}
