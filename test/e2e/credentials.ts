import { generateKeyPair, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificates } from '../../src/apiserver/auth/certificates.ts';
import { writeContext } from '../../src/kube/kubeconfig-file.ts';
import { RealClock } from '../../src/operator/clock.ts';

/** Who talks to the API server besides the controller, whose account is made in the cluster. */
const USERS = {
  admin: { name: 'admin', group: 'system:masters' },
  'controller-manager': { name: 'system:kube-controller-manager', group: '' },
  scheduler: { name: 'system:kube-scheduler', group: '' },
} as const;
export type User = keyof typeof USERS;

/** Files, by path. */
export interface Credentials {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Signs the tokens of service accounts. */
  readonly accountKey: string;
  readonly tokens: string;
  kubeconfig(user: User): string;
}

/** Makes all that an API server and its clients need to trust each other, in `folder`. */
export async function makeCredentials(folder: string, server: string): Promise<Credentials> {
  const file = (name: string): string => join(folder, name);
  const clock = new RealClock();
  const { ca, certificate, key } = await makeCertificates({ clock });
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const tokens = Object.entries(USERS).map(([user, who]) => ({ user, ...who, token: randomBytes(16).toString('hex') }));
  const lines = tokens.map(({ token, name, group }) => `${token},${name},${name}${group && `,${group}`}\n`);
  await Promise.all([
    writeFile(file('ca.crt'), ca),
    writeFile(file('server.crt'), certificate),
    writeFile(file('server.key'), key),
    writeFile(file('accounts.key'), privateKey),
    writeFile(file('tokens.csv'), lines.join('')),
  ]);
  for (const { user, token } of tokens) await writeKubeconfig(file(`${user}.kubeconfig`), { server, ca, token });
  return {
    ca: file('ca.crt'),
    certificate: file('server.crt'),
    key: file('server.key'),
    accountKey: file('accounts.key'),
    tokens: file('tokens.csv'),
    kubeconfig: (user) => file(`${user}.kubeconfig`),
  };
}

/** Writes a kubeconfig for one cluster and one user; `ca` is PEM. */
export async function writeKubeconfig(
  file: string,
  { server, ca, token }: { readonly server: string; readonly ca: string; readonly token: string },
): Promise<void> {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  await writeContext([file], { name: 'e2e', cluster, user: { token } }, { select: true, clock: new RealClock() });
}
