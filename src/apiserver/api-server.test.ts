import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CORE_DEFINITIONS } from '../apis/crds/index.ts';
import type { Client, Resource } from '../kube/client.ts';
import { ApiError } from '../kube/errors.ts';
import type { KubeObject } from '../kube/objects.ts';
import { CustomResourceDefinitions, NodePools, PodDisruptionBudgets, Pods } from '../kube/resources.ts';
import { RealClock } from '../operator/clock.ts';
import { SeededRandom } from '../operator/random.ts';
import { ApiServer, makeCertificates, type ServerCertificates } from './index.ts';

const clock = new RealClock();
const servers: ApiServer[] = [];
const folders: string[] = [];
let certificates: ServerCertificates;

beforeAll(async () => {
  certificates = await makeCertificates({ clock });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(options: { readonly state?: string; readonly history?: number } = {}): Promise<ApiServer> {
  const server = await ApiServer.open({ clock, random: new SeededRandom(1), ...options });
  servers.push(server);
  return server;
}

const at = (name: string) => ({ name, namespace: 'default' });
const refusal = async (promise: Promise<unknown>): Promise<ApiError | undefined> => {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};

interface AnyObject extends KubeObject {
  readonly [key: string]: unknown;
}
const ConfigMaps: Resource<AnyObject> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const configMap = (name: string, meta: object = {}): AnyObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...at(name), ...meta },
});
const pod = (name: string, nodeName?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...at(name), labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName ? { nodeName } : {}) },
});

describe('deleting', () => {
  it('a pod on a node waits for the node, and can only be hurried', async () => {
    const client = (await open()).client();
    await client.create(Pods, pod('p', 'n'));
    await client.delete(Pods, at('p'));
    expect((await client.get(Pods, at('p'))).metadata.deletionGracePeriodSeconds).toBe(30);
    await client.delete(Pods, at('p'), { gracePeriodSeconds: 60 });
    expect((await client.get(Pods, at('p'))).metadata.deletionGracePeriodSeconds).toBe(30);
    await client.delete(Pods, at('p'), { gracePeriodSeconds: 0 });
    expect((await refusal(client.get(Pods, at('p'))))?.code).toBe(404);
  });

  it('an object with finalizers stays until the last one is gone', async () => {
    const client = (await open()).client();
    await client.create(ConfigMaps, configMap('a', { finalizers: ['x.example.com/f'] }));
    await client.delete(ConfigMaps, at('a'), { propagationPolicy: 'Foreground' });
    const waiting = await client.get(ConfigMaps, at('a'));
    expect(waiting.metadata.finalizers).toEqual(['x.example.com/f', 'foregroundDeletion']);
    await client.update(ConfigMaps, { ...waiting, metadata: { ...waiting.metadata, finalizers: [] } });
    expect((await refusal(client.get(ConfigMaps, at('a'))))?.code).toBe(404);
  });

  it('a definition takes its resources with it, those with finalizers first', async () => {
    const client = (await open()).client();
    const definition = CORE_DEFINITIONS.find(({ spec }) => spec.names.kind === 'NodePool') as unknown as KubeObject;
    await client.create(CustomResourceDefinitions, definition);
    const pool = await client.create(NodePools, nodePool('a', ['x.example.com/f']));
    await client.delete(CustomResourceDefinitions, { name: 'nodepools.karpenter.sh' });
    const waiting = await client.get(NodePools, { name: 'a' });
    expect(waiting.metadata.deletionTimestamp).toBeDefined();
    expect((await refusal(client.create(NodePools, nodePool('b'))))?.code).toBe(403);
    await client.patch(NodePools, { name: 'a' }, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect((await refusal(client.get(CustomResourceDefinitions, { name: 'nodepools.karpenter.sh' })))?.code).toBe(404);
    expect((await refusal(client.get(NodePools, { name: pool.metadata.name })))?.code).toBe(404);
  });
});

const nodePool = (name: string, finalizers: readonly string[] = []) =>
  ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, finalizers },
    spec: {
      template: {
        spec: {
          requirements: [],
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        },
      },
    },
  }) as never;

describe('evicting', () => {
  const evict = (client: Client, name: string) =>
    client.create(Pods, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: at(name) } as never, {
      subresource: 'eviction',
    });

  async function withBudget(client: Client, disruptionsAllowed: number): Promise<void> {
    await client.create(Pods, pod('p', 'n'));
    const ready = [{ type: 'Ready', status: 'True' }];
    const running = { status: { phase: 'Running', conditions: ready } };
    await client.patch(Pods, at('p'), { type: 'merge', body: running }, { subresource: 'status' });
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: at('b'),
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    };
    await client.create(PodDisruptionBudgets, budget);
    const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await client.patch(PodDisruptionBudgets, at('b'), { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  it('spends what the budget allows, and names the pod in its status', async () => {
    const client = (await open()).client();
    await withBudget(client, 1);
    await evict(client, 'p');
    const { status } = await client.get(PodDisruptionBudgets, at('b'));
    expect(status?.disruptionsAllowed).toBe(0);
    expect(Object.keys(status?.disruptedPods ?? {})).toEqual(['p']);
    expect((await client.get(Pods, at('p'))).metadata.deletionTimestamp).toBeDefined();
  });

  it('is refused with 429 by a budget that allows none', async () => {
    const client = (await open()).client();
    await withBudget(client, 0);
    const refused = await refusal(evict(client, 'p'));
    expect(refused?.code).toBe(429);
    expect(refused?.status.details?.causes).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
    ]);
    expect((await client.get(Pods, at('p'))).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('reading', () => {
  it('gives the very object that is stored, which nobody can change', async () => {
    const client = (await open()).client();
    await client.create(ConfigMaps, configMap('a'));
    const first = await client.get(ConfigMaps, at('a'));
    expect(await client.get(ConfigMaps, at('a'))).toBe(first);
    expect(Object.isFrozen(first.metadata)).toBe(true);
  });

  it('gives pages of one moment, whatever happens in between', async () => {
    const client = (await open()).client();
    for (const name of ['a', 'b', 'c', 'd']) await client.create(ConfigMaps, configMap(name));
    const first = await client.list(ConfigMaps, { namespace: 'default', limit: 2 });
    await client.delete(ConfigMaps, at('c'));
    await client.create(ConfigMaps, configMap('e'));
    const rest = await client.list(ConfigMaps, { namespace: 'default', limit: 9, continue: first.continue ?? '' });
    expect([...first.items, ...rest.items].map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(rest.resourceVersion).toBe(first.resourceVersion);
  });

  it('tells a watch from too long ago to list again', async () => {
    const client = (await open({ history: 5 })).client();
    const { resourceVersion } = await client.list(ConfigMaps, {});
    for (let index = 0; index < 8; index++) await client.create(ConfigMaps, configMap(`c${index}`));
    const events = client.watch(ConfigMaps, { resourceVersion }, new AbortController().signal);
    for await (const event of events) {
      expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    }
  });
});

describe('starting again', () => {
  it('serves what was stored, custom resources included, and the same accounts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'api-'));
    folders.push(folder);
    const state = join(folder, 'state.db');
    const before = await open({ state });
    const definition = CORE_DEFINITIONS.find(({ spec }) => spec.names.kind === 'NodePool') as unknown as KubeObject;
    await before.client().create(CustomResourceDefinitions, definition);
    const pool = await before.client().create(NodePools, nodePool('a'));
    await before.stop();
    servers.splice(0);
    const after = await open({ state });
    expect(await after.client().get(NodePools, { name: 'a' })).toEqual(pool);
  });
});

describe('over HTTPS', () => {
  async function listen() {
    const server = await open();
    const { url } = await server.listen({ certificates, token: 'secret' });
    const { Agent, fetch } = await import('undici');
    const dispatcher = new Agent({ connect: { ca: certificates.ca } });
    const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(url + path, { headers, dispatcher });
      return { status: response.status, body: await response.text() };
    };
    return { server, ask };
  }

  it('knows its administrator, refuses unknown tokens, and tells nobody else more than its health', async () => {
    const { ask } = await listen();
    const admin = await ask('/api/v1/namespaces', { authorization: 'Bearer secret' });
    expect(admin.status).toBe(200);
    expect((await ask('/api/v1/namespaces', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask('/api/v1/namespaces')).status).toBe(403);
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('shows tables to kubectl', async () => {
    const { server, ask } = await listen();
    await server.client().create(Pods, pod('p'));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await ask('/api/v1/namespaces/default/pods', { authorization: 'Bearer secret', accept });
    const { columnDefinitions, rows } = JSON.parse(body) as {
      columnDefinitions: { name: string; priority: number }[];
      rows: { cells: unknown[] }[];
    };
    const shown = columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name);
    expect(shown).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
    expect(rows.map(({ cells }) => cells.slice(0, 4))).toEqual([['p', '0/1', 'Pending', '0']]);
  });

  it('lets an account do what its roles allow, and no more', async () => {
    const { server, ask } = await listen();
    const client = server.client();
    const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true };
    await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at('robot') });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: at('robot'), spec: {} };
    const answer = (await client.create(accounts, request, { subresource: 'token' })) as unknown as {
      status: { token: string };
    };
    const authorization = `Bearer ${answer.status.token}`;
    expect((await ask('/api/v1/namespaces/default/pods', { authorization })).status).toBe(403);
    const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: at('r'),
      roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    };
    await client.create({ ...rbac, plural: 'rolebindings', kind: 'RoleBinding' }, binding);
    expect((await ask('/api/v1/namespaces/default/pods', { authorization })).status).toBe(200);
    expect((await ask('/api/v1/namespaces/default/secrets', { authorization })).status).toBe(403);
    expect((await ask('/api/v1/namespaces/kube-system/pods', { authorization })).status).toBe(403);
  });
});
