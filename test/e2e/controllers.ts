import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Client, Resource } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles, ServiceAccounts } from '../../src/kube/resources.ts';
import type { ControlPlane } from './control-plane.ts';
import { writeKubeconfig } from './credentials.ts';
import { freePorts } from './free-ports.ts';
import { Program } from './process.ts';
import { LAUNCHER, type Programs } from './programs.ts';

export const CONTROLLERS = ['ours', 'upstream'] as const;
export type ControllerName = (typeof CONTROLLERS)[number];
/** What a spec ran against: a controller on the real control plane, or ours within the embedded cluster. */
export type Setup = ControllerName | 'embedded';

const NAMESPACE = 'kube-system';
const ACCOUNT = 'karpenter';
const GATES = [
  'NodeRepair',
  'SpotToSpotConsolidation',
  'NodeOverlay',
  'StaticCapacity',
  'CapacityBuffer',
  'ReservedCapacity',
];
/** Every gate on, in the syntax of the flag. */
export const FEATURE_GATES = GATES.map((gate) => `${gate}=true`).join(',');
/** Longer than any run. */
const TOKEN_SECONDS = 24 * 3600;

/** The options that upstream's chart passes on, with every gate on; both controllers know them by these names. */
const OPTIONS = {
  LOG_LEVEL: 'debug',
  LEADER_ELECTION_NAMESPACE: NAMESPACE,
  BATCH_MAX_DURATION: '10s',
  BATCH_IDLE_DURATION: '1s',
  PREFERENCE_POLICY: 'Respect',
  MIN_VALUES_POLICY: 'Strict',
  FEATURE_GATES,
};

/** Starts a controller as its users do, under a service account that may do what its own rules say. */
export async function startController(
  name: ControllerName,
  folder: string,
  programs: Programs,
  { server, credentials, client }: ControlPlane,
): Promise<Program> {
  for (const object of name === 'ours' ? await ourAccess() : upstreamAccess()) {
    await client.create(resourceOf(object), object);
  }
  const kubeconfig = join(folder, 'controller.kubeconfig');
  const token = await tokenOf(client);
  await writeKubeconfig(kubeconfig, { server, ca: await readFile(credentials.ca, 'utf8'), token });
  const [metrics, health] = await freePorts(2);
  const env = { ...OPTIONS, KUBECONFIG: kubeconfig, METRICS_PORT: `${metrics}`, HEALTH_PROBE_PORT: `${health}` };
  return new Program(
    name === 'ours' ? [LAUNCHER, 'controller'] : [programs.upstream],
    join(folder, 'controller.log'),
    env,
  );
}

/** The manifests that `controller --print-rbac` writes for these options. */
async function ourAccess(): Promise<readonly KubeObject[]> {
  const args = ['controller', '--print-rbac', '--namespace', NAMESPACE, '--service-account', ACCOUNT];
  const { stdout } = await promisify(execFile)(LAUNCHER, args, { env: { ...process.env, ...OPTIONS } });
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject);
}

/** Upstream's own rules are its chart's affair. */
function upstreamAccess(): readonly KubeObject[] {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }],
  };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: NAMESPACE } };
  return [account, binding];
}

function resourceOf({ kind }: KubeObject): Resource {
  const kinds = [ServiceAccounts, Roles, RoleBindings, ClusterRoles, ClusterRoleBindings];
  const found = kinds.find((resource) => resource.kind === kind);
  if (!found) throw new Error(`no access is granted by a ${kind}`);
  return found;
}

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
  readonly status?: { readonly token: string };
}

async function tokenOf(client: Client): Promise<string> {
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: ACCOUNT, namespace: NAMESPACE },
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const accounts: Resource<TokenRequest> = ServiceAccounts as Resource<KubeObject> as Resource<TokenRequest>;
  const { status } = await client.create(accounts, request, { subresource: 'token' });
  if (!status) throw new Error('no token was given to the controller');
  return status.token;
}
