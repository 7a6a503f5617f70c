import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../src/kube/client.ts';
import { ServiceAccounts } from '../../src/kube/resources.ts';
import { connect } from './connect.ts';
import { type Credentials, makeCredentials } from './credentials.ts';
import { freePorts } from './free-ports.ts';
import { Program } from './process.ts';
import type { Programs } from './programs.ts';

const START_TIMEOUT = 60_000;
/** As managed clusters have it: with the built-in limits, making and binding 1,000 pods takes a minute. */
const REQUESTS = { 'kube-api-qps': 300, 'kube-api-burst': 500 };

export interface ControlPlane {
  readonly server: string;
  readonly credentials: Credentials;
  /** As the administrator. */
  readonly client: Client;
}

/**
 * Starts etcd, kube-apiserver with RBAC, kube-controller-manager and kube-scheduler, with logs and data in `folder`. Each
 * program is handed to `own`, which stops it in the end. Resolves when pods can be created.
 */
export async function startControlPlane(
  folder: string,
  programs: Programs,
  own: (program: Program) => void,
): Promise<ControlPlane> {
  const [etcd = 0, peers = 0, api = 0, manager = 0, scheduler = 0] = await freePorts(5);
  const server = `https://127.0.0.1:${api}`;
  const credentials = await makeCredentials(folder, server);
  const start = (name: string, file: string, flags: Readonly<Record<string, string | number | boolean>>): void => {
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    own(new Program([file, ...args], join(folder, `${name}.log`)));
  };
  const kubernetes = (name: string): string => join(programs.kubernetes, name);

  start('etcd', programs.etcd, {
    'data-dir': join(folder, 'etcd'),
    'unsafe-no-fsync': true,
    'listen-client-urls': `http://127.0.0.1:${etcd}`,
    'advertise-client-urls': `http://127.0.0.1:${etcd}`,
    'listen-peer-urls': `http://127.0.0.1:${peers}`,
    'initial-advertise-peer-urls': `http://127.0.0.1:${peers}`,
    'initial-cluster': `default=http://127.0.0.1:${peers}`,
  });
  start('kube-apiserver', kubernetes('kube-apiserver'), {
    'etcd-servers': `http://127.0.0.1:${etcd}`,
    'bind-address': '127.0.0.1',
    'secure-port': api,
    'cert-dir': folder,
    'tls-cert-file': credentials.certificate,
    'tls-private-key-file': credentials.key,
    'token-auth-file': credentials.tokens,
    'authorization-mode': 'Node,RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': credentials.accountKey,
    'service-account-signing-key-file': credentials.accountKey,
    'service-cluster-ip-range': '10.0.0.0/24',
  });
  const client = await connect(credentials.kubeconfig('admin'));
  await untilServed(client);
  start('kube-controller-manager', kubernetes('kube-controller-manager'), {
    kubeconfig: credentials.kubeconfig('controller-manager'),
    'bind-address': '127.0.0.1',
    'secure-port': manager,
    'cert-dir': folder,
    'leader-elect': false,
    'use-service-account-credentials': true,
    'service-account-private-key-file': credentials.accountKey,
    'root-ca-file': credentials.ca,
    ...REQUESTS,
  });
  start('kube-scheduler', kubernetes('kube-scheduler'), {
    kubeconfig: credentials.kubeconfig('scheduler'),
    'bind-address': '127.0.0.1',
    'secure-port': scheduler,
    'cert-dir': folder,
    'leader-elect': false,
    ...REQUESTS,
  });
  await untilPodsMayCome(client);
  return { server, credentials, client };
}

const untilServed = (client: Client): Promise<void> =>
  retried('kube-apiserver', async () => void (await client.list(ServiceAccounts, { namespace: 'default' })));

/** Pods are refused until their namespace has its service account. */
const untilPodsMayCome = (client: Client): Promise<void> =>
  retried('the default service account', async () => {
    await client.get(ServiceAccounts, { namespace: 'default', name: 'default' });
  });

/** Tries until it works, and throws the last error when time is up. */
export async function retried(what: string, attempt: () => Promise<void>): Promise<void> {
  const end = performance.now() + START_TIMEOUT;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) {
        throw new Error(`${what}: not there after ${START_TIMEOUT / 1000} s: ${(error as Error).message}`, {
          cause: error,
        });
      }
    }
    await sleep(100);
  }
}
