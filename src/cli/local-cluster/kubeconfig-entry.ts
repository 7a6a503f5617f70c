import type { Access } from '../../runtimes/types.ts';

const CONTEXT_PREFIX = 'karpenter-';

/** The name of the context, of the cluster and of the user of a local cluster. */
export const contextName = (clusterName: string): string => `${CONTEXT_PREFIX}${clusterName}`;

interface NamedEntry {
  readonly name?: unknown;
  readonly [key: string]: unknown;
}

/** A kubeconfig as plain data, as far as it is touched here. */
export interface KubeconfigData {
  apiVersion?: string;
  kind?: string;
  clusters?: NamedEntry[] | null;
  contexts?: NamedEntry[] | null;
  users?: NamedEntry[] | null;
  'current-context'?: string;
  [key: string]: unknown;
}

/** Adds or replaces the local cluster's three entries and makes its context the current one. */
export function withCluster(config: KubeconfigData, clusterName: string, access: Access): KubeconfigData {
  const name = contextName(clusterName);
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  const user = {
    ...(access.token ? { token: access.token } : {}),
    ...(access.clientCertificate ? { 'client-certificate-data': base64(access.clientCertificate) } : {}),
    ...(access.clientKey ? { 'client-key-data': base64(access.clientKey) } : {}),
  };
  const cluster = { server: access.server, 'certificate-authority-data': base64(access.certificateAuthority) };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...config,
    clusters: put(config.clusters, { name, cluster }),
    contexts: put(config.contexts, { name, context: { cluster: name, user: name, namespace: 'default' } }),
    users: put(config.users, { name, user }),
    'current-context': name,
  };
}

/** Takes the three entries out; a current context that was ours becomes `previous`, if that still exists. */
export function withoutCluster(config: KubeconfigData, clusterName: string, previous?: string): KubeconfigData {
  const name = contextName(clusterName);
  const contexts = drop(config.contexts, name);
  const current = config['current-context'] === name ? (previous ?? '') : (config['current-context'] ?? '');
  return {
    ...config,
    clusters: drop(config.clusters, name),
    contexts,
    users: drop(config.users, name),
    'current-context': contexts.some((entry) => entry.name === current) ? current : '',
  };
}

/** Whether nothing is left that would be worth a file. */
export function isEmptyKubeconfig(config: KubeconfigData): boolean {
  return [config.clusters, config.contexts, config.users].every((list) => !list || list.length === 0);
}

function put(list: readonly NamedEntry[] | null | undefined, entry: NamedEntry): NamedEntry[] {
  return [...drop(list, entry.name), entry];
}

function drop(list: readonly NamedEntry[] | null | undefined, name: unknown): NamedEntry[] {
  return (list ?? []).filter((entry) => entry.name !== name);
}
