import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import type { Client, Resource } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { isAlreadyExists } from '../kube/errors.ts';
import { APIServices, CertificateSigningRequests, ConfigMaps } from '../kube/resources.ts';
import { Admission } from './admission/admission.ts';
import type { AdmissionDeps } from './admission/admission-deps.ts';
import { authenticationConfig } from './aggregation/authentication-config.ts';
import { RemoteApis } from './aggregation/remote-apis.ts';
import { authenticator } from './auth/authenticate.ts';
import type { ServerCertificates } from './auth/certificates.ts';
import { Rbac } from './auth/rbac.ts';
import { TokenKey } from './auth/token-key.ts';
import { Tokens } from './auth/tokens.ts';
import { bootstrap } from './bootstrap.ts';
import { CertificateSigner } from './certificates/certificate-signer.ts';
import { type ClientCertificate, SigningAuthority } from './certificates/signing-authority.ts';
import { EventExpiry } from './controllers/event-expiry.ts';
import { FlowSchemaConditions } from './controllers/flow-schema-conditions.ts';
import { QuotaStatus } from './controllers/quota-status.ts';
import { RootCaPublisher } from './controllers/root-ca-publisher.ts';
import { CustomResourceDefinitions } from './custom-resources/custom-resource-definitions.ts';
import { DirectClient } from './direct-client.ts';
import { ApiHandler, type ApiHandlerDeps } from './http/api-handler.ts';
import { PathHandler, version } from './http/path-handler.ts';
import { protobufCodec } from './http/protobuf-codec.ts';
import { ResourceHandler } from './http/resource-handler.ts';
import { answerUnknownMethods } from './http/unknown-methods.ts';
import type { JsonObject } from './kind.ts';
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
const FRONT_PROXY = 'front-proxy-client';
/**
 * The embedded Kubernetes API. `open` loads the state and makes what every cluster has; `client()` reaches it without
 * HTTP; `listen` serves it over HTTPS.
 */
export class ApiServer {
  readonly #deps: ApiServerDeps;
  readonly #texts: ObjectTexts;
  readonly #registryDeps: RegistryDeps;
  readonly #registry: Registry;
  readonly #tokenKey: TokenKey;
  readonly #tokens: Tokens;
  readonly #rbac: Rbac;
  readonly #fixed: { readonly token: string; readonly user: UserInfo }[] = [];
  readonly #stopping: (() => void)[] = [];
  readonly #authority: SigningAuthority;
  readonly #remotes: RemoteApis;
  #tls: TlsOptions | undefined;
  #server: Server | undefined;
  readonly #sockets = new Set<Duplex>();

  private constructor(deps: ApiServerDeps, store: Store, texts: ObjectTexts) {
    this.#deps = deps;
    this.#texts = texts;
    const { clock, random } = deps;
    const catalog = new Catalog();
    const kinds = new ServedKinds(builtInRules);
    const fields = new FieldManagement({ kinds, versions: (resource) => catalog.versionsOf(resource) });
    this.#tokenKey = new TokenKey(store);
    this.#rbac = new Rbac({ store });
    const decide: AdmissionDeps['decide'] = (user, attributes) => this.#rbac.decide(user, attributes);
    const admission = new Admission({ store, catalog, kinds, cel: kinds.cel, decide, clock, random });
    this.#registryDeps = { store, catalog, kinds, clock, random, fields, admission };
    this.#tokens = new Tokens({ store, clock, key: this.#tokenKey, fixed: this.#fixed });
    this.#registry = new Registry({ ...this.#registryDeps, tokens: this.#tokens, rbac: this.#rbac });
    this.#stopping.push(new CustomResourceDefinitions({ store, catalog, kinds, clock, random }).start());
    this.#authority = new SigningAuthority({ store, clock, random }, () => this.#trustClients());
    const aggregator = this.client('kube-aggregator');
    this.#remotes = new RemoteApis({
      store,
      clock,
      certificate: () => this.#frontProxy(aggregator),
      writeStatus: (name, version, status) => writeStatus(aggregator, APIServices, name, version, status),
    });
  }

  /** Loads or makes the state. Throws StateFileError for a file that can't be read as one. */
  static async open(deps: ApiServerDeps): Promise<ApiServer> {
    const texts = new ObjectTexts();
    const journal = deps.state === undefined ? undefined : await openSqliteJournal(deps.state, texts);
    const store = new Store({ ...(journal ? { journal } : {}), ...(deps.history ? { history: deps.history } : {}) });
    const server = new ApiServer(deps, store, texts);
    await bootstrap(server.#registryDeps);
    server.#startControllers();
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
    const protobuf = protobufCodec(types);
    const handler = new ApiHandler({
      resources: new ResourceHandler({
        registry: this.#registry,
        catalog,
        views: tableViews(store),
        clock,
        texts: this.#texts,
        protobuf,
      }),
      paths: new PathHandler({
        catalog,
        openApi: openApiOf(this.#registryDeps),
        remote: this.#remotes,
        tokenKeys: () => this.#tokenKey.published(),
        address: () => address,
      }),
      authenticate: authenticator(this.#tokens.read),
      may: (user, attributes) => this.#rbac.decide(user, attributes).allowed,
      random,
      forward: this.#forward,
      protobuf,
    });
    const { ca, certificate, key } = certificates;
    this.#tls = { key, cert: certificate, ca, requestCert: true, rejectUnauthorized: false };
    const tls = this.#trusting(this.#tls);
    const server = createServer({ ...tls, requestTimeout, keepAliveTimeout: 0 }, (request, response) => {
      void handler.handle(request, response).catch(() => response.destroy());
    });
    answerUnknownMethods(server, (request, response) => handler.handle(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
    const publisher = this.client('root-ca-cert-publisher');
    this.#stopping.push(new RootCaPublisher({ store, client: publisher }, ca).start());
    const bound = server.address();
    const actual = typeof bound === 'object' && bound ? bound.port : port;
    address = `${host.includes(':') ? `[${host}]` : host}:${actual}`;
    return { url: `https://${address}` };
  }

  /** Requests to APIs that APIServices announce go to the servers that those are at. */
  readonly #forward: NonNullable<ApiHandlerDeps['forward']> = (path, user, request, response) => {
    const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
    const service = group && version ? this.#remotes.find(group, version) : undefined;
    if (service === undefined) return false;
    const deps = { store: this.#registryDeps.store, remotes: this.#remotes };
    return import('./aggregation/forward-request.ts').then(({ forwardRequest }) =>
      forwardRequest(deps, service, user, request, response),
    );
  };

  /** The certificate that requests are passed on with, made known to the servers that get them as kube-apiserver does it. */
  async #frontProxy(client: Client): Promise<ClientCertificate> {
    const issued = await this.#authority.issue(FRONT_PROXY);
    const object = authenticationConfig(this.#authority.certificate ?? '', FRONT_PROXY);
    await client.create(ConfigMaps, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return issued;
  }

  /** What keeps objects true that are about the API itself. */
  #startControllers(): void {
    const { store, clock } = this.#registryDeps;
    const manager = this.client('kube-controller-manager');
    const signer = new CertificateSigner({
      store,
      clock,
      authority: this.#authority,
      writeStatus: (name, version, status) => writeStatus(manager, CertificateSigningRequests, name, version, status),
    });
    const controllers = [
      signer,
      this.#remotes,
      new FlowSchemaConditions({ store, clock }),
      new QuotaStatus({ store, clock }),
      new EventExpiry({ store, clock }),
    ];
    this.#stopping.push(...controllers.map((controller) => controller.start()));
  }

  /** Clients' certificates come from the authority that signs requests, or from the server's own. */
  #trusting(tls: TlsOptions): TlsOptions {
    const signing = this.#authority.certificate;
    return signing === undefined ? tls : { ...tls, ca: [tls.ca, signing].flat() as string[] };
  }

  #trustClients(): void {
    if (this.#tls) this.#server?.setSecureContext(this.#trusting(this.#tls));
  }

  /** Ends all connections and closes the state file. */
  async stop(): Promise<void> {
    for (const stop of this.#stopping) stop();
    const server = this.#server;
    if (server) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of this.#sockets) socket.destroy();
      await closed;
    }
    await this.#registryDeps.store.close();
  }
}

/** Writes the status of what nobody else has changed. */
async function writeStatus(
  client: Client,
  resource: Resource,
  name: string,
  resourceVersion: string,
  status: JsonObject,
): Promise<void> {
  const body = { metadata: { resourceVersion }, status };
  await client.patch(resource, { name }, { type: 'merge', body }, { subresource: 'status' });
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
