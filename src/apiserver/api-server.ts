import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { Admission } from './admission/admission.ts';
import type { AdmissionDeps } from './admission/admission-deps.ts';
import { authenticator } from './auth/authenticate.ts';
import type { ServerCertificates } from './auth/certificates.ts';
import { Rbac } from './auth/rbac.ts';
import { Tokens } from './auth/tokens.ts';
import { bootstrap } from './bootstrap.ts';
import { CustomResourceDefinitions } from './custom-resources/custom-resource-definitions.ts';
import { DirectClient } from './direct-client.ts';
import { ApiHandler } from './http/api-handler.ts';
import { PathHandler, version } from './http/path-handler.ts';
import { ResourceHandler } from './http/resource-handler.ts';
import { ObjectTexts } from './object-texts.ts';
import { OpenApiEndpoint, openApiResources } from './openapi/index.ts';
import { Catalog } from './registry/catalog.ts';
import { FieldManagement } from './registry/field-management.ts';
import { Registry } from './registry/registry.ts';
import type { RegistryDeps } from './registry/registry-deps.ts';
import type { UserInfo } from './registry/request.ts';
import { ServedKinds } from './registry/served-kinds.ts';
import { openSqliteJournal } from './store/sqlite-journal.ts';
import { Store } from './store/store.ts';
import { tableViews } from './table/views.ts';
import { BuiltinTypes } from './types/index.ts';
import { builtInRules } from './validation/built-in-rules.ts';

export interface ApiServerDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Path of the file that keeps the cluster's state; absent keeps it in memory only. */
  readonly state?: string;
  /** How many past changes a watch can start from. */
  readonly history?: number;
}

export interface ListenOptions {
  readonly certificates: ServerCertificates;
  /** The administrator's bearer token. */
  readonly token: string;
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port?: number;
}

const admin: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const requestTimeout = 60_000;

/**
 * The embedded Kubernetes API. `open` loads the state and makes what every cluster has; `client()` reaches it without
 * HTTP; `listen` serves it over HTTPS.
 */
export class ApiServer {
  readonly #deps: ApiServerDeps;
  readonly #texts: ObjectTexts;
  readonly #registryDeps: RegistryDeps;
  readonly #registry: Registry;
  readonly #tokens: Tokens;
  readonly #rbac: Rbac;
  readonly #fixed: { readonly token: string; readonly user: UserInfo }[] = [];
  readonly #stopDefinitions: () => void;
  #server: Server | undefined;
  readonly #sockets = new Set<Duplex>();

  private constructor(deps: ApiServerDeps, store: Store, texts: ObjectTexts) {
    this.#deps = deps;
    this.#texts = texts;
    const { clock, random } = deps;
    const catalog = new Catalog();
    const kinds = new ServedKinds(builtInRules);
    const fields = new FieldManagement({ kinds, versions: (resource) => catalog.versionsOf(resource) });
    this.#rbac = new Rbac({ store });
    const decide: AdmissionDeps['decide'] = (user, attributes) => this.#rbac.decide(user, attributes);
    const admission = new Admission({ store, catalog, kinds, cel: kinds.cel, decide, clock, random });
    this.#registryDeps = { store, catalog, kinds, clock, random, fields, admission };
    this.#tokens = new Tokens({ store, clock, secret: tokenSecret(store, random), fixed: this.#fixed });
    this.#registry = new Registry({ ...this.#registryDeps, tokens: this.#tokens, rbac: this.#rbac });
    this.#stopDefinitions = new CustomResourceDefinitions({ store, catalog, kinds, clock, random }).start();
  }

  /** Loads or makes the state. Throws StateFileError for a file that can't be read as one. */
  static async open(deps: ApiServerDeps): Promise<ApiServer> {
    const texts = new ObjectTexts();
    const journal = deps.state === undefined ? undefined : await openSqliteJournal(deps.state, texts);
    const store = new Store({ ...(journal ? { journal } : {}), ...(deps.history ? { history: deps.history } : {}) });
    const server = new ApiServer(deps, store, texts);
    await bootstrap(server.#registryDeps);
    await store.committed();
    return server;
  }

  /** A client without HTTP. Its writes are `fieldManager`'s where they name no other. */
  client(fieldManager = 'kubectl-karpenter'): Client {
    const { catalog } = this.#registryDeps;
    return new DirectClient({ registry: this.#registry, catalog, user: admin, fieldManager });
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#registryDeps.store.revision;
  }

  /** Serves HTTPS. Rejects with Node's error if the address can't be had. */
  async listen({
    certificates,
    token,
    host = '127.0.0.1',
    port = 0,
  }: ListenOptions): Promise<{ readonly url: string }> {
    const { createServer } = await import('node:https');
    this.#fixed.push({ token, user: admin });
    const { clock, random } = this.#deps;
    const { catalog, store } = this.#registryDeps;
    const types = new BuiltinTypes();
    let address = '';
    const handler = new ApiHandler({
      resources: new ResourceHandler({
        registry: this.#registry,
        catalog,
        views: tableViews(store),
        clock,
        texts: this.#texts,
        protobuf: async () => new (await import('./protobuf/index.ts')).ProtobufDecoder({ types }),
      }),
      paths: new PathHandler({ catalog, openApi: openApiOf(this.#registryDeps), address: () => address }),
      authenticate: authenticator(this.#tokens.read),
      may: (user, attributes) => this.#rbac.decide(user, attributes).allowed,
      random,
    });
    const { ca, certificate, key } = certificates;
    const tls = { key, cert: certificate, ca, requestCert: true, rejectUnauthorized: false };
    const server = createServer({ ...tls, requestTimeout, keepAliveTimeout: 0 }, (request, response) => {
      void handler.handle(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
    const bound = server.address();
    const actual = typeof bound === 'object' && bound ? bound.port : port;
    address = `${host.includes(':') ? `[${host}]` : host}:${actual}`;
    return { url: `https://${address}` };
  }

  /** Ends all connections and closes the state file. */
  async stop(): Promise<void> {
    this.#stopDefinitions();
    const server = this.#server;
    if (server) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of this.#sockets) socket.destroy();
      await closed;
    }
    await this.#registryDeps.store.close();
  }
}

/** OpenAPI of what the catalogue serves at the moment. */
function openApiOf({ catalog, store }: RegistryDeps): OpenApiEndpoint {
  const definitionOf = (crd: string) => store.get('apiextensions.k8s.io/customresourcedefinitions', crd);
  return new OpenApiEndpoint({
    types: new BuiltinTypes(),
    version: version.gitVersion,
    resources: () => openApiResources(catalog.all(), definitionOf),
    revision: () => catalog.revision,
  });
}

/** The secret that signs service accounts' tokens, kept with the state so that tokens outlive a restart. */
function tokenSecret(store: Store, random: Random): string {
  const found = store.get('internal', 'token-secret');
  if (typeof found?.value === 'string') return found.value;
  const value = random.uuid() + random.uuid();
  store.put('internal', 'token-secret', { value });
  return value;
}
