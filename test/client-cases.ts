import { expect } from 'vitest';
import type { Client, WatchEvent } from '../src/kube/client.ts';
import { isAlreadyExists, isConflict, isExpired, isNotFound } from '../src/kube/errors.ts';
import type { KubeObject } from '../src/kube/objects.ts';
import { ConfigMaps, Namespaces, Nodes, Pods } from '../src/kube/resources.ts';
import { node, pod } from './factories/index.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
});

const at = (name: string) => ({ name, namespace: 'default' });
const names = (items: readonly KubeObject[]): string[] => items.map(({ metadata }) => metadata.name).sort();

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Reads a watch until `enough` events have come. */
async function take<T extends KubeObject>(
  events: AsyncIterable<WatchEvent<T>>,
  enough: number,
): Promise<readonly WatchEvent<T>[]> {
  const taken: WatchEvent<T>[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === enough) break;
  }
  return taken;
}

/** What every `Client` does, whatever is behind it: name of the case → the case, on a cluster with nothing in it. */
export const clientCases: Readonly<Record<string, (client: Client) => Promise<void>>> = {
  'creates, and reads back what the API made of it': async (client) => {
    const created = await client.create(ConfigMaps, configMap('a', { k: 'v' }));
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await client.get(ConfigMaps, at('a'))).toEqual(created);
  },

  'makes up a name after generateName': async (client) => {
    const { metadata } = await client.create(ConfigMaps, {
      ...configMap(''),
      metadata: { generateName: 'gen-', namespace: 'default' } as ConfigMap['metadata'],
    });
    expect(metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
  },

  'throws ApiError for what is missing, present or out of date': async (client) => {
    const missing = await refusal(client.get(ConfigMaps, at('a')));
    expect(isNotFound(missing)).toBe(true);
    expect(missing).toMatchObject({
      name: 'ApiError',
      message: 'configmaps "a" not found',
      status: { details: { name: 'a' } },
    });
    const first = await client.create(ConfigMaps, configMap('a'));
    expect(isAlreadyExists(await refusal(client.create(ConfigMaps, configMap('a'))))).toBe(true);
    await client.update(ConfigMaps, { ...first, data: { k: '1' } } as ConfigMap);
    expect(isConflict(await refusal(client.update(ConfigMaps, { ...first, data: { k: '2' } } as ConfigMap)))).toBe(
      true,
    );
  },

  'lists by namespace, labels and fields, and names the kind of each item': async (client) => {
    await client.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    await client.create(ConfigMaps, configMap('a', {}, { app: 'web' }));
    await client.create(ConfigMaps, configMap('b', {}, { app: 'db' }));
    const elsewhere = configMap('c', {}, { app: 'web' });
    await client.create(ConfigMaps, { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'other' } });
    const web = await client.list(ConfigMaps, { labelSelector: 'app in (web)' });
    expect(names(web.items)).toEqual(['a', 'c']);
    expect(web.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(names((await client.list(ConfigMaps, { namespace: 'other', labelSelector: 'app' })).items)).toEqual(['c']);
    const byName = await client.list(ConfigMaps, { namespace: 'default', fieldSelector: 'metadata.name=b' });
    expect(names(byName.items)).toEqual(['b']);
  },

  'lists page by page, all of one moment': async (client) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.create(ConfigMaps, configMap(name, {}, { page: 'd' }));
    const first = await client.list(ConfigMaps, { labelSelector: 'page', limit: 2 });
    await client.create(ConfigMaps, configMap('f', {}, { page: 'd' }));
    const rest = [];
    let next = first.continue;
    while (next !== undefined) {
      const page = await client.list(ConfigMaps, { labelSelector: 'page', limit: 2, continue: next });
      rest.push(...page.items);
      next = page.continue;
    }
    expect(names([...first.items, ...rest])).toEqual(['a', 'b', 'c', 'd', 'e']);
  },

  'watches from a list on, without a gap': async (client) => {
    const { resourceVersion } = await client.list(ConfigMaps, { namespace: 'default' });
    const a = await client.create(ConfigMaps, configMap('a'));
    await client.patch(ConfigMaps, at('a'), { type: 'merge', body: { data: { k: 'v' } } });
    await client.delete(ConfigMaps, at('a'));
    const stop = new AbortController();
    const events = await take(client.watch(ConfigMaps, { namespace: 'default', resourceVersion }, stop.signal), 3);
    stop.abort();
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(events[0]?.object).toMatchObject({ kind: 'ConfigMap', metadata: { uid: a.metadata.uid } });
  },

  'sees objects enter and leave a selector': async (client) => {
    const { resourceVersion } = await client.list(ConfigMaps);
    await client.create(ConfigMaps, configMap('a'));
    const label = (value: string | null) => ({ type: 'merge', body: { metadata: { labels: { on: value } } } }) as const;
    await client.patch(ConfigMaps, at('a'), label('yes'));
    await client.patch(ConfigMaps, at('a'), label(null));
    const stop = new AbortController();
    const events = await take(client.watch(ConfigMaps, { labelSelector: 'on', resourceVersion }, stop.signal), 2);
    stop.abort();
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  },

  'ends a watch when the signal aborts': async (client) => {
    const stop = new AbortController();
    const { resourceVersion } = await client.list(ConfigMaps);
    const ended = take(client.watch(ConfigMaps, { resourceVersion }, stop.signal), 1);
    stop.abort();
    expect(await ended).toEqual([]);
  },

  'refuses a watch from a version that never was': async (client) => {
    const stop = new AbortController();
    const outcome = await take(client.watch(ConfigMaps, { resourceVersion: 'x' }, stop.signal), 1).catch(
      (error: unknown) => error,
    );
    stop.abort();
    expect(isExpired(outcome)).toBe(false);
    expect(outcome).toMatchObject({ name: 'ApiError' });
  },

  'patches in every way': async (client) => {
    await client.create(ConfigMaps, configMap('a', { one: '1' }));
    await client.patch(ConfigMaps, at('a'), { type: 'merge', body: { data: { two: '2' } } });
    await client.patch(ConfigMaps, at('a'), { type: 'json', body: [{ op: 'remove', path: '/data/one' }] });
    await client.patch(ConfigMaps, at('a'), { type: 'strategic', body: { data: { three: '3' } } });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: at('a'), data: { four: '4' } };
    const patched = await client.patch(
      ConfigMaps,
      at('a'),
      { type: 'apply', body, force: true },
      { fieldManager: 'me' },
    );
    expect((patched as ConfigMap).data).toEqual({ two: '2', three: '3', four: '4' });
  },

  'merges lists by their keys in a strategic patch': async (client) => {
    await client.create(Nodes, node({ metadata: { name: 'n' } }));
    const body = { status: { conditions: [{ type: 'MemoryPressure', status: 'False' }] } };
    await client.patch(Nodes, { name: 'n' }, { type: 'strategic', body }, { subresource: 'status' });
    const more = { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } };
    const patched = await client.patch(
      Nodes,
      { name: 'n' },
      { type: 'strategic', body: more },
      { subresource: 'status' },
    );
    expect(patched.status?.conditions?.map(({ type }) => type).sort()).toEqual([
      'DiskPressure',
      'MemoryPressure',
      'Ready',
    ]);
  },

  'keeps spec and status apart': async (client) => {
    const created = await client.create(Nodes, node({ metadata: { name: 'n' } }));
    const capacity = { cpu: '1' };
    const changed = { ...created, spec: { ...created.spec, unschedulable: true }, status: { capacity } };
    const status = await client.update(Nodes, changed, { subresource: 'status' });
    expect(status.status?.capacity).toEqual(capacity);
    expect(status.spec?.unschedulable).toBeUndefined();
    const spec = await client.update(Nodes, { ...status, spec: { ...status.spec, unschedulable: true }, status: {} });
    expect(spec.status?.capacity).toEqual(capacity);
    expect(spec.spec.unschedulable).toBe(true);
  },

  'binds and evicts pods through their subresources': async (client) => {
    await client.create(Nodes, node({ metadata: { name: 'n' } }));
    const created = await client.create(Pods, pod({ metadata: { name: 'p' } }));
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: at('p'), target: { kind: 'Node', name: 'n' } };
    await client.create(Pods, binding as unknown as typeof created, { subresource: 'binding' });
    expect((await client.get(Pods, at('p'))).spec.nodeName).toBe('n');
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: at('p'),
      deleteOptions: { gracePeriodSeconds: 0 },
    };
    await client.create(Pods, eviction as unknown as typeof created, { subresource: 'eviction' });
    expect(isNotFound(await refusal(client.get(Pods, at('p'))))).toBe(true);
  },

  'changes nothing in a dry run': async (client) => {
    await client.create(ConfigMaps, configMap('a'), { dryRun: true });
    expect(isNotFound(await refusal(client.get(ConfigMaps, at('a'))))).toBe(true);
    await client.create(ConfigMaps, configMap('a'));
    await client.delete(ConfigMaps, at('a'), { dryRun: true });
    expect((await client.get(ConfigMaps, at('a'))).metadata.deletionTimestamp).toBeUndefined();
  },

  'deletes the object that is meant, or none': async (client) => {
    await client.create(ConfigMaps, configMap('a'));
    const other = { preconditions: { uid: 'another' } };
    expect(isConflict(await refusal(client.delete(ConfigMaps, at('a'), other)))).toBe(true);
    const held = { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } } as const;
    await client.patch(ConfigMaps, at('a'), held);
    await client.delete(ConfigMaps, at('a'));
    expect((await client.get(ConfigMaps, at('a'))).metadata.deletionTimestamp).toBeDefined();
    await client.patch(ConfigMaps, at('a'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(isNotFound(await refusal(client.get(ConfigMaps, at('a'))))).toBe(true);
  },

  'says what is wrong with an invalid object': async (client) => {
    const outcome = await refusal(client.create(ConfigMaps, configMap('Not a name')));
    expect(outcome).toMatchObject({ name: 'ApiError', code: 422, reason: 'Invalid' });
    expect((outcome as { status: { details: unknown } }).status.details).toMatchObject({
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
    });
  },
};
