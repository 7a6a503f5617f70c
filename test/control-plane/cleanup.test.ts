import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtInResources } from '../../src/apiserver/registry/built-in-resources.ts';
import { ResourceDirectory } from '../../src/control-plane/resource-directory.ts';
import type { Resource } from '../../src/kube/client.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import { Informers } from '../../src/kube/informers.ts';
import type { KubeObject, OwnerReference } from '../../src/kube/objects.ts';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  EndpointSlices,
  Namespaces,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  ServiceAccounts,
  Services,
} from '../../src/kube/resources.ts';
import { SeededRandom } from '../../src/operator/random.ts';
import { pod } from '../factories/pod.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const Widgets: Resource = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: false };

function configMap(
  name: string,
  owners: readonly OwnerReference[] = [],
  finalizers: readonly string[] = [],
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ownerReferences: owners, finalizers },
  };
}

function ownedBy(owner: KubeObject, apiVersion: string, kind: string, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion, kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '', blockOwnerDeletion };
}

let cluster: WorkloadCluster;

beforeEach(async () => {
  cluster = await startWorkloadCluster();
  await cluster.addNodes('a');
});
afterEach(() => cluster.stop());

async function names(resource: Resource): Promise<readonly string[]> {
  return (await cluster.list(resource)).map(({ metadata }) => metadata.name).sort();
}

describe('garbage collection', () => {
  const at = (name: string) => ({ name, namespace: 'default' });

  test('knows every kind that the API stores, so that a foreground deletion of any comes to its end', async () => {
    const { client, clock } = cluster;
    const informers = new Informers({ client, clock, random: new SeededRandom(1) });
    const directory = new ResourceDirectory({ client, informers });
    const stop = new AbortController();
    informers.start(stop.signal);
    await directory.discover();
    stop.abort();
    const known = new Set(directory.all.map(({ group, kind }) => `${group}/${kind}`));
    // Events have a second name, under which they need not be known again.
    const stored = builtInResources().filter(
      ({ group, verbs }) => verbs.includes('delete') && group !== 'events.k8s.io',
    );
    expect(stored.filter(({ group, kind }) => !known.has(`${group}/${kind}`)).map(({ kind }) => kind)).toEqual([]);
  });

  test('takes whole trees of owned objects', async () => {
    const root = await cluster.client.create(ConfigMaps, configMap('root'));
    const child = await cluster.client.create(ConfigMaps, configMap('child', [ownedBy(root, 'v1', 'ConfigMap')]));
    await cluster.client.create(ConfigMaps, configMap('grandchild', [ownedBy(child, 'v1', 'ConfigMap')]));
    await cluster.client.delete(ConfigMaps, at('root'));
    await cluster.clock.advance(1000);
    expect(await names(ConfigMaps)).toEqual([]);
  });

  test('takes what names an owner that never was', async () => {
    const ghost = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'e0c2c9a0-0000-4000-8000-000000000000' };
    await cluster.client.create(ConfigMaps, configMap('orphan', [ghost]));
    await cluster.clock.advance(1000);
    expect(await names(ConfigMaps)).toEqual([]);
  });

  test('keeps what still has one owner, without the reference to the other', async () => {
    const one = await cluster.client.create(ConfigMaps, configMap('one'));
    const two = await cluster.client.create(ConfigMaps, configMap('two'));
    const owners = [ownedBy(one, 'v1', 'ConfigMap'), ownedBy(two, 'v1', 'ConfigMap')];
    await cluster.client.create(ConfigMaps, configMap('both', owners));
    await cluster.client.delete(ConfigMaps, at('one'));
    await cluster.clock.advance(1000);
    const both = await cluster.client.get(ConfigMaps, at('both'));
    expect(both.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['two']);
  });

  test('in the foreground lets the owner go only after what blocks it', async () => {
    const root = await cluster.client.create(ConfigMaps, configMap('root'));
    const owners = [ownedBy(root, 'v1', 'ConfigMap', true)];
    await cluster.client.create(ConfigMaps, configMap('child', owners, ['example.com/hold']));
    await cluster.client.delete(ConfigMaps, at('root'), { propagationPolicy: 'Foreground' });
    await cluster.clock.advance(5000);
    expect(await names(ConfigMaps)).toEqual(['child', 'root']);
    await cluster.client.patch(ConfigMaps, at('child'), { type: 'merge', body: { metadata: { finalizers: null } } });
    await cluster.clock.advance(1000);
    expect(await names(ConfigMaps)).toEqual([]);
  });

  test('knows custom resources as soon as they are defined', async () => {
    await cluster.client.create(CustomResourceDefinitions, definition());
    await cluster.clock.advance(2000);
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    const owner = await cluster.client.create(Widgets, widget);
    const metadata = { name: 'part', ownerReferences: [ownedBy(owner, 'example.com/v1', 'Widget')] };
    await cluster.client.create(Widgets, { ...widget, metadata });
    await cluster.clock.advance(1000);
    expect(await names(Widgets)).toEqual(['part', 'w']);
    await cluster.client.delete(Widgets, { name: 'w' });
    await cluster.clock.advance(1000);
    expect(await names(Widgets)).toEqual([]);
  });
});

function definition(): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const spec = {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
  return { ...object, metadata: { name: 'widgets.example.com' } };
}

describe('a namespace', () => {
  const create = (name: string) =>
    cluster.client.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  test('has a service account, which comes back when deleted', async () => {
    await create('team');
    await cluster.clock.advance(1000);
    await cluster.client.delete(ServiceAccounts, { name: 'default', namespace: 'team' });
    await cluster.clock.advance(1000);
    const account = await cluster.client.get(ServiceAccounts, { name: 'default', namespace: 'team' });
    expect(account.metadata.name).toBe('default');
  });

  test('goes when all in it has gone, and tells what it waits for', async () => {
    await create('team');
    const held = {
      ...configMap('held', [], ['example.com/hold']),
      metadata: { name: 'held', namespace: 'team', finalizers: ['example.com/hold'] },
    };
    await cluster.client.create(ConfigMaps, held);
    await cluster.client.create(Pods, pod({ metadata: { name: 'p', namespace: 'team' } }));
    await cluster.clock.advance(1000);
    await cluster.client.delete(Namespaces, { name: 'team' });
    await cluster.clock.advance(5000);
    expect(await names(Pods)).toEqual([]);
    const waiting = await cluster.client.get(Namespaces, { name: 'team' });
    expect(waiting.status?.phase).toBe('Terminating');
    expect(waiting.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      }),
    );
    const body = { metadata: { finalizers: null } };
    await cluster.client.patch(ConfigMaps, { name: 'held', namespace: 'team' }, { type: 'merge', body });
    await cluster.clock.advance(2000);
    await expect(cluster.client.get(Namespaces, { name: 'team' })).rejects.toSatisfy(isNotFound);
    expect(cluster.errors).toEqual([]);
  });
});

describe('a PodDisruptionBudget', () => {
  const labels = { app: 'web' };
  const ref = { name: 'web', namespace: 'default' };
  const status = async () => (await cluster.client.get(PodDisruptionBudgets, ref)).status;

  beforeEach(async () => {
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x' }] } };
    await cluster.client.create(ReplicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: ref,
      spec: { replicas: 5, selector: { matchLabels: labels }, template },
    });
    await cluster.clock.advance(2000);
  });

  test.each([
    ['maxUnavailable as a number', { maxUnavailable: 2 }, 2, 3],
    ['maxUnavailable as a share, rounded up', { maxUnavailable: '30%' }, 2, 3],
    ['minAvailable as a number', { minAvailable: 4 }, 1, 4],
    ['minAvailable as a share, rounded up', { minAvailable: '50%' }, 2, 3],
    ['one that allows nothing', { maxUnavailable: 0 }, 0, 5],
  ])('counts by %s', async (_, spec, disruptionsAllowed, desiredHealthy) => {
    const pdb = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: ref };
    await cluster.client.create(PodDisruptionBudgets, { ...pdb, spec: { ...spec, selector: { matchLabels: labels } } });
    await cluster.clock.advance(1000);
    expect(await status()).toMatchObject({ disruptionsAllowed, desiredHealthy, currentHealthy: 5, expectedPods: 5 });
    const allowed = disruptionsAllowed > 0;
    expect((await status())?.conditions).toMatchObject([
      {
        type: 'DisruptionAllowed',
        status: allowed ? 'True' : 'False',
        reason: allowed ? 'SufficientPods' : 'InsufficientPods',
      },
    ]);
  });

  test('follows evictions, and refuses the one too many', async () => {
    const pdb = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: ref };
    await cluster.client.create(PodDisruptionBudgets, {
      ...pdb,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
    await cluster.clock.advance(1000);
    const [first, second] = await cluster.list(Pods);
    const evict = (name: string | undefined) =>
      cluster.client.create(
        Pods,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: name ?? '', namespace: 'default' } } as never,
        { subresource: 'eviction' },
      );
    await evict(first?.metadata.name);
    await expect(evict(second?.metadata.name)).rejects.toMatchObject({ code: 429 });
    await cluster.clock.advance(10_000);
    expect(await status()).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 5 });
    expect((await status())?.disruptedPods ?? {}).toEqual({});
    expect(await names(Pods)).not.toContain(first?.metadata.name);
  });
});

describe('a Service', () => {
  test('lists the addresses of its ready pods', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    };
    await cluster.client.create(Services, service as KubeObject);
    await cluster.client.create(Pods, pod({ metadata: { name: 'p', labels: { app: 'web' } } }));
    await cluster.client.create(Pods, pod({ metadata: { name: 'other' } }));
    await cluster.clock.advance(2000);
    const [slice, ...more] = await cluster.list(EndpointSlices);
    expect(more).toEqual([]);
    expect(slice).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: [{ addresses: ['10.0.0.2'], conditions: { ready: true }, nodeName: 'a', zone: 'zone-a' }],
    });
    await cluster.client.delete(Services, { name: 'web', namespace: 'default' });
    await cluster.clock.advance(2000);
    expect(await cluster.list(EndpointSlices)).toEqual([]);
    expect(cluster.errors).toEqual([]);
  });
});
