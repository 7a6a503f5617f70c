import type { Clock } from '../../kube/clock.ts';
import type { ClusterAccess } from '../../kube/cluster-access.ts';
import { proxyFor } from '../../kube/env-proxy.ts';
import type { HttpClient } from '../../kube/http-client.ts';
import { type Kubeconfig, KubeconfigError, readKubeconfig } from '../../kube/kubeconfig.ts';
import { accessFromKubeconfig, accessInCluster } from '../../kube/kubeconfig-access.ts';
import { nearest } from '../nearest.ts';
import { UserError } from '../user-error.ts';
import type { ConnectionFlags } from './connection-flags.ts';
import { kubeconfigFiles } from './kubeconfig-sources.ts';

export interface Connection {
  readonly client: HttpClient;
  readonly access: ClusterAccess;
  /** The context in use; undefined inside a cluster. */
  readonly context: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A client of the cluster that kubectl would talk to with the same flags. Throws a UserError when there is none. */
export async function connect(
  flags: ConnectionFlags,
  env: Environment,
  clock: Clock,
  userAgent: string,
): Promise<Connection> {
  const files = kubeconfigFiles(flags.kubeconfig, env);
  const { HttpClient } = await import('../../kube/http-client.ts');
  try {
    const config = await readKubeconfig(files, flags.kubeconfig !== undefined);
    const context = flags.context ?? config.currentContext;
    const access = await accessOf(config, flags, env, clock);
    return { client: new HttpClient({ access, clock, userAgent }), access, context };
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw await asUserError(error, flags, files);
  }
}

async function accessOf(
  config: Kubeconfig,
  flags: ConnectionFlags,
  env: Environment,
  clock: Clock,
): Promise<ClusterAccess> {
  const inCluster = config.contexts.size === 0 && !flags.server && env.KUBERNETES_SERVICE_HOST;
  if (inCluster) return accessInCluster(env, clock);
  const access = await accessFromKubeconfig(withFlags(config, flags), overrides(flags), clock);
  const proxyUrl = access.proxyUrl ?? proxyFor(access.server, env);
  return proxyUrl === undefined ? access : { ...access, proxyUrl };
}

function overrides({ context, cluster, user, namespace, server, token }: ConnectionFlags) {
  const given = Object.entries({ context, cluster, user, namespace, server, token }).filter(([, value]) => value);
  return Object.fromEntries(given) as Readonly<Record<string, string>>;
}

/** The flags that have no override of their own, put into the entries that will be used. */
function withFlags(config: Kubeconfig, flags: ConnectionFlags): Kubeconfig {
  const context = config.contexts.get(flags.context ?? config.currentContext ?? '');
  return {
    ...config,
    clusters: withFields(config.clusters, flags.cluster ?? context?.cluster ?? '', {
      'certificate-authority': flags['certificate-authority'],
      'insecure-skip-tls-verify': flags['insecure-skip-tls-verify'] || undefined,
      'tls-server-name': flags['tls-server-name'],
    }),
    users: withFields(config.users, flags.user ?? context?.user ?? '', {
      'client-certificate': flags['client-certificate'],
      'client-key': flags['client-key'],
      as: flags.as,
      'as-uid': flags['as-uid'],
      'as-groups': flags['as-group'],
    }),
  };
}

/** Sets fields of one entry. A file given by flag counts more than the entry's inline data of the same name. */
function withFields<T extends object>(
  entries: ReadonlyMap<string, T>,
  name: string,
  fields: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return entries;
  const inline = new Set(given.map(([field]) => `${field}-data`));
  const kept = Object.entries(entries.get(name) ?? {}).filter(([field]) => !inline.has(field));
  return new Map([...entries, [name, Object.fromEntries([...kept, ...given]) as T]]);
}

async function asUserError(
  error: KubeconfigError,
  flags: ConnectionFlags,
  files: readonly string[],
): Promise<UserError> {
  const file = error.file ?? files.join(', ');
  const hints: string[] = [];
  const named = /^context "(.*)" does not exist/.exec(error.message)?.[1];
  if (named !== undefined) {
    const { contexts } = await readKubeconfig(files).catch(() => ({ contexts: new Map<string, unknown>() }));
    hints.push(...nearest(named, contexts.keys()).map((name) => `--context ${name}`));
    if (hints.length === 0) hints.push('kubectl config get-contexts');
    return new UserError(error.message, { code: 'KE1201', because: [`read ${file}`], hints, cause: error });
  }
  if (/no current context/.test(error.message) && !flags.kubeconfig) {
    hints.push('kubectl karpenter up --local, to start a cluster', '--from FILES, to read saved objects instead');
  }
  return new UserError(`kubeconfig ${file} can't be used`, {
    code: 'KE1201',
    because: [error.message.split('\n')[0] ?? ''],
    hints,
    cause: error,
  });
}
