import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';
import type { ClusterAccess, TlsSettings } from './cluster-access.ts';
import { type Kubeconfig, type KubeconfigCluster, KubeconfigError, type KubeconfigUser } from './kubeconfig.ts';

/** Flags that stand above what the kubeconfig says. */
export interface AccessOverrides {
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
}

/** Token files are re-read after this many milliseconds, since kubelets rotate them. */
const TOKEN_FILE_LIFE = 60_000;

const decode = (base64: string | undefined): string | undefined =>
  base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('utf8');

async function inlineOrFile(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data) return decode(data);
  if (!file) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new KubeconfigError((error as Error).message, file, { cause: error });
  }
}

async function tlsOf(cluster: KubeconfigCluster, user: KubeconfigUser): Promise<TlsSettings> {
  const ca = await inlineOrFile(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = await inlineOrFile(user['client-certificate-data'], user['client-certificate']);
  const key = await inlineOrFile(user['client-key-data'], user['client-key']);
  const servername = cluster['tls-server-name'];
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername && { servername }),
    ...(cluster['insecure-skip-tls-verify'] && { rejectUnauthorized: false }),
  };
}

type Headers = Record<string, string | readonly string[]>;

/** Headers of `as`, `as-groups` and the like. */
function impersonation(user: KubeconfigUser): Headers {
  const headers: Headers = {};
  if (user.as) headers['impersonate-user'] = user.as;
  if (user['as-uid']) headers['impersonate-uid'] = user['as-uid'];
  if (user['as-groups']?.length) headers['impersonate-group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = values;
  }
  return headers;
}

function tokenFileReader(file: string, clock: Pick<Clock, 'now'>): () => Promise<string> {
  let token = '';
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.now() - readAt < TOKEN_FILE_LIFE) return token;
    token = (await inlineOrFile(undefined, file))?.trim() ?? '';
    readAt = clock.now();
    return token;
  };
}

/** The user's own credentials, for everything that needs no plugin. */
function plainHeaders(user: KubeconfigUser, clock: Pick<Clock, 'now'>): ClusterAccess['headers'] {
  const fixed = impersonation(user);
  if (user.tokenFile) {
    const read = tokenFileReader(user.tokenFile, clock);
    return async () => ({ ...fixed, authorization: `Bearer ${await read()}` });
  }
  if (user.token) fixed.authorization = `Bearer ${user.token}`;
  else if (user.username) {
    fixed.authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
  }
  return async () => fixed;
}

interface Plugin {
  readonly tls: TlsSettings;
  readonly headers: ClusterAccess['headers'];
}

/** Exec plugins and authentication providers are client-node's; its import is too slow to pay for without need. */
async function pluginAccess(server: string, user: KubeconfigUser): Promise<Plugin> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromOptions({
    // Verification is the transport's business; client-node only refuses plain HTTP without this.
    clusters: [{ name: 'cluster', server, skipTLSVerify: true }],
    users: [{ name: 'user', exec: user.exec, authProvider: user['auth-provider'] }],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  });
  const ask = async (): Promise<{ headers: Headers; cert?: string; key?: string }> => {
    const options: { headers?: Headers; cert?: string; key?: string } = { headers: {} };
    try {
      await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
    } catch (error) {
      throw new KubeconfigError(`getting credentials: ${(error as Error).message}`, undefined, { cause: error });
    }
    return { ...options, headers: options.headers ?? {} };
  };
  const first = await ask();
  const fixed = impersonation(user);
  return {
    tls: { ...(first.cert && { cert: first.cert }), ...(first.key && { key: first.key }) },
    headers: async () => {
      const { headers } = await ask();
      return { ...fixed, ...(headers.Authorization && { authorization: headers.Authorization }) };
    },
  };
}

/**
 * Picks the context, cluster and user of a kubeconfig and prepares its credentials.
 *
 * @throws {KubeconfigError} for names that do not exist, files that can't be read, plugins that fail.
 */
export async function accessFromKubeconfig(
  config: Kubeconfig,
  overrides: AccessOverrides,
  clock: Pick<Clock, 'now'>,
): Promise<ClusterAccess> {
  const contextName = overrides.context ?? config.currentContext;
  const context = contextName === undefined ? undefined : config.contexts.get(contextName);
  if (contextName !== undefined && context === undefined) {
    throw new KubeconfigError(`context "${contextName}" does not exist`);
  }
  const clusterName = overrides.cluster ?? context?.cluster ?? '';
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined && (overrides.cluster !== undefined || overrides.server === undefined)) {
    throw new KubeconfigError(
      clusterName === '' ? 'no current context is set' : `cluster "${clusterName}" does not exist`,
    );
  }
  const userName = overrides.user ?? context?.user ?? '';
  const listed = config.users.get(userName);
  if (listed === undefined && userName !== '') throw new KubeconfigError(`user "${userName}" does not exist`);
  const user: KubeconfigUser = overrides.token === undefined ? (listed ?? {}) : { token: overrides.token };

  const server = (overrides.server ?? cluster?.server ?? '').replace(/\/+$/, '');
  if (!URL.canParse(server)) throw new KubeconfigError(`cluster "${clusterName}" has no usable server: "${server}"`);
  const needsPlugin =
    !user.token && !user.tokenFile && (user.exec !== undefined || user['auth-provider'] !== undefined);
  const plugin = needsPlugin ? await pluginAccess(server, user) : undefined;
  return {
    server,
    namespace: overrides.namespace ?? context?.namespace ?? 'default',
    tls: { ...(await tlsOf(cluster ?? {}, user)), ...plugin?.tls },
    ...(cluster?.['proxy-url'] && { proxyUrl: cluster['proxy-url'] }),
    headers: plugin?.headers ?? plainHeaders(user, clock),
  };
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Access of a pod to the cluster it runs in.
 *
 * @param env KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
 * @throws {KubeconfigError} outside of a cluster.
 */
export async function accessInCluster(
  env: Readonly<Record<string, string | undefined>>,
  clock: Pick<Clock, 'now'>,
  folder = SERVICE_ACCOUNT,
): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) throw new KubeconfigError('not running in a cluster: KUBERNETES_SERVICE_HOST is not set');
  const ca = await inlineOrFile(undefined, `${folder}/ca.crt`);
  const namespace = (await inlineOrFile(undefined, `${folder}/namespace`))?.trim();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace || 'default',
    tls: { ...(ca !== undefined && { ca }) },
    headers: plainHeaders({ tokenFile: `${folder}/token` }, clock),
  };
}
