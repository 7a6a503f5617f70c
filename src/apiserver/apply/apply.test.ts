import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../kind.ts';
import { BuiltinFieldSchemas, BuiltinTypes, decode } from '../types/index.ts';
import { ApplyConflictError, ApplyError, applyConfiguration, resetFields, updateManagedFields } from './index.ts';

const types = new BuiltinTypes();
const schemas = new BuiltinFieldSchemas();
const NOW = '2024-01-01T00:00:00Z';

interface Options {
  readonly as?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly now?: string;
}

/** A kind's endpoints, as far as ownership goes: decoding, no defaults, no validation. */
function endpointOf(apiVersion: string, kind: string) {
  const struct = types.kind(apiVersion, kind);
  if (struct === undefined) throw new RangeError(`no ${kind} in ${apiVersion}`);
  const schema = schemas.of(struct);
  const empty = decode({}, struct).object;
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const write = ({ as = 'alice', subresource = '', now = NOW }: Options) => ({
    apiVersion,
    schema,
    manager: as,
    subresource,
    now,
    reset: resetFields({ group, kind, subresource, hasStatus: kind !== 'ConfigMap', isCustom: false }),
  });
  const stored = (object: JsonObject): JsonObject =>
    decode({ ...object, metadata: { uid: 'u', ...(object.metadata as JsonObject) } }, struct).object;
  return {
    apply(live: JsonObject | undefined, config: JsonObject, options: Options = {}): JsonObject {
      const request = { ...write(options), kind, empty, force: options.force ?? false };
      return stored(applyConfiguration(live ?? empty, { apiVersion, kind, ...config }, request));
    },
    update(live: JsonObject | undefined, object: JsonObject, options: Options = {}): JsonObject {
      return stored(
        updateManagedFields(live ?? empty, decode({ apiVersion, kind, ...object }, struct).object, write(options)),
      );
    },
  };
}

const configMaps = endpointOf('v1', 'ConfigMap');
const deployments = endpointOf('apps/v1', 'Deployment');
const pods = endpointOf('v1', 'Pod');

const data = (values: JsonObject): JsonObject => ({ metadata: { name: 'a' }, data: values });
const podTemplate = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } }, spec } },
});
const container = (fields: JsonObject): JsonObject =>
  podTemplate({ containers: [{ name: 'c', image: 'i', ...fields }] });

const entries = (object: JsonObject): readonly JsonObject[] =>
  ((object.metadata as JsonObject).managedFields ?? []) as readonly JsonObject[];
const owners = (object: JsonObject): readonly Json[] => entries(object).map(({ manager }) => manager as Json);
const ownedBy = (object: JsonObject, name: string) => entries(object).find(({ manager }) => manager === name)?.fieldsV1;
const templateSpec = (object: JsonObject): JsonObject =>
  (((object.spec as JsonObject).template as JsonObject).spec ?? {}) as JsonObject;

describe('applying a configuration', () => {
  it('creates an object whose fields the applier owns', () => {
    const object = configMaps.apply(undefined, data({ k: 'v' }));
    expect(object.data).toEqual({ k: 'v' });
    expect(entries(object)).toEqual([
      {
        manager: 'alice',
        operation: 'Apply',
        apiVersion: 'v1',
        time: NOW,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:k': {} } },
      },
    ]);
  });

  it('owns items of keyed lists by their keys, with default keys filled in', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }];
    const object = deployments.apply(undefined, container({ ports, env: [{ name: 'A', value: '1' }] }));
    expect(ownedBy(object, 'alice')).toEqual({
      'f:spec': {
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                'f:image': {},
                'f:name': {},
                'f:ports': {
                  'k:{"containerPort":53,"protocol":"UDP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                },
              },
            },
          },
        },
      },
    });
  });

  it('leaves alone what another manager owns, unless forced', () => {
    const live = configMaps.apply(undefined, data({ k: '1' }));
    const attempt = (options: Options) => configMaps.apply(live, data({ k: '2' }), { as: 'bob', ...options });
    expect(() => attempt({})).toThrow(
      expect.objectContaining({
        message: 'Apply failed with 1 conflict: conflict with "alice": .data.k',
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.data.k' }],
      }),
    );
    const forced = attempt({ force: true });
    expect(forced.data).toEqual({ k: '2' });
    expect(owners(forced)).toEqual(['bob']);
  });

  it('names updaters with their version and subresource in conflicts', () => {
    const live = configMaps.update(undefined, data({ k: '0' }), { as: 'kubectl-patch' });
    expect(() => configMaps.apply(live, data({ k: '2' }))).toThrow('conflict with "kubectl-patch" using v1: .data.k');
    const pod = pods.update(undefined, { metadata: { name: 'p', labels: { a: 'b' } } }, { as: 'x' });
    const reported = pods.update(pod, { ...pod, status: { message: 'hi' } }, { as: 'kubelet', subresource: 'status' });
    const config = { metadata: { name: 'p' }, status: { message: 'other' } };
    expect(() => pods.apply(reported, config, { as: 'carol', subresource: 'status' })).toThrow(
      'Apply failed with 1 conflict: conflict with "kubelet" with subresource "status" using v1: .status.message',
    );
  });

  it('lists several conflicts by manager', () => {
    const live = configMaps.apply(configMaps.apply(undefined, data({ a: '1', b: '1' })), data({ c: '1' }), {
      as: 'bob',
    });
    expect(() => configMaps.apply(live, data({ a: '2', b: '2', c: '2' }), { as: 'carol' })).toThrow(
      'Apply failed with 3 conflicts: conflicts with "alice":\n- .data.a\n- .data.b\nconflicts with "bob":\n- .data.c',
    );
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    [
      'an atomic list',
      { tolerations: [{ key: 'a' }] },
      { tolerations: [{ key: 'b' }] },
      '.spec.template.spec.tolerations',
    ],
    ['an atomic map', { nodeSelector: { a: '1' } }, { nodeSelector: { b: '2' } }, '.spec.template.spec.nodeSelector'],
    [
      'a quantity written otherwise',
      { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
      { containers: [{ name: 'c', resources: { requests: { cpu: '1000m' } } }] },
      '.spec.template.spec.containers[name="c"].resources.requests.cpu',
    ],
  ])('conflicts over %s as a whole', (_, first, second, path) => {
    const live = deployments.apply(undefined, podTemplate(first));
    expect(() => deployments.apply(live, podTemplate(second), { as: 'bob' })).toThrow(`conflict with "alice": ${path}`);
  });

  it('shares a field that two set to the same value, until one drops it', () => {
    const one = configMaps.apply(undefined, data({ k: '1' }));
    const two = configMaps.apply(one, data({ k: '1' }), { as: 'bob' });
    expect(owners(two)).toHaveLength(2);
    const dropped = configMaps.apply(two, { metadata: { name: 'a' } }, { as: 'bob' });
    expect(dropped.data).toEqual({ k: '1' });
    expect(owners(dropped)).toEqual(['alice']);
  });

  it('removes what the applier no longer applies', () => {
    const live = configMaps.apply(undefined, data({ k: '1', n: '2' }));
    expect(configMaps.apply(live, data({ n: '2' })).data).toEqual({ n: '2' });
    const nothing = configMaps.apply(live, { metadata: { name: 'a' } });
    expect(nothing.data).toBeUndefined();
    expect(owners(nothing)).toEqual([]);
  });

  it('removes dropped items of keyed lists and sets, and keeps those of others', () => {
    const both = podTemplate({
      containers: [
        {
          name: 'c',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
        { name: 'e' },
      ],
    });
    const live = deployments.apply(undefined, both);
    const spec = templateSpec(live);
    const [first, ...rest] = spec.containers as readonly JsonObject[];
    const env = [{ name: 'Z', value: '9' }, ...((first?.env ?? []) as readonly Json[])];
    const patched = {
      ...live,
      spec: {
        ...(live.spec as JsonObject),
        template: {
          ...((live.spec as JsonObject).template as JsonObject),
          spec: { containers: [{ ...first, env }, ...rest] },
        },
      },
    };
    const updated = deployments.update(live, patched, { as: 'bob' });
    const again = deployments.apply(
      updated,
      podTemplate({ containers: [{ name: 'c', env: [{ name: 'B', value: '2' }] }] }),
    );
    expect(templateSpec(again).containers).toMatchObject([
      {
        name: 'c',
        env: [
          { name: 'Z', value: '9' },
          { name: 'B', value: '2' },
        ],
      },
    ]);
    const finalizers = (list: readonly string[]) => ({ metadata: { name: 'a', finalizers: list } });
    const shared = configMaps.apply(configMaps.apply(undefined, finalizers(['a'])), finalizers(['b']), { as: 'bob' });
    expect(configMaps.apply(shared, { metadata: { name: 'a' } }, { as: 'bob' }).metadata).toMatchObject({
      finalizers: ['a'],
    });
  });

  it.each([
    [
      ['c', 'e'],
      ['e', 'c'],
      ['e', 'c'],
    ],
    [['c'], ['c', 'd'], ['c', 'd']],
    [
      ['c', 'd'],
      ['x', 'd', 'c'],
      ['x', 'd', 'c'],
    ],
  ])('puts items %j in the order of the applier: %j', (before, after, expected) => {
    const containers = (names: readonly string[]) => podTemplate({ containers: names.map((name) => ({ name })) });
    const object = deployments.apply(deployments.apply(undefined, containers(before)), containers(after));
    expect((templateSpec(object).containers as readonly JsonObject[]).map(({ name }) => name)).toEqual(expected);
  });

  it('adds items beside those of others', () => {
    const live = deployments.apply(undefined, container({}));
    const object = deployments.apply(live, podTemplate({ containers: [{ name: 'side' }] }), { as: 'bob' });
    expect(templateSpec(object).containers).toMatchObject([{ name: 'c' }, { name: 'side' }]);
  });

  it('changes nothing, not even a time, when it is repeated', () => {
    const live = configMaps.apply(undefined, data({ k: '1' }));
    expect(configMaps.apply(live, data({ k: '1' }), { now: '2030-01-01T00:00:00Z' })).toEqual(live);
  });

  it('owns nothing that the endpoint resets', () => {
    const live = pods.update(undefined, { metadata: { name: 'p', labels: { a: 'b' } } }, { as: 'x' });
    const config = { metadata: { name: 'p', labels: { x: 'y' } }, status: { message: 'hi' } };
    expect(ownedBy(pods.apply(live, config), 'alice')).toEqual({ 'f:metadata': { 'f:labels': { 'f:x': {} } } });
  });

  it('counts what was there before anybody kept track as somebody else’s', () => {
    const live = { metadata: { name: 'a', uid: 'u' }, data: { k: '1' } };
    expect(() => configMaps.apply(live, data({ k: '2' }))).toThrow(
      'conflict with "before-first-apply" using v1: .data.k',
    );
  });

  it('takes over from client-side apply without a conflict, if kubectl does it', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const lastApplied = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...data({ k: '1' }) });
    const object = { metadata: { name: 'a', annotations: { [annotation]: lastApplied } }, data: { k: '1' } };
    const live = configMaps.update(undefined, object, { as: 'kubectl-client-side-apply' });
    expect(() => configMaps.apply(live, data({ k: '2' }))).toThrow(ApplyConflictError);
    const taken = configMaps.apply(live, data({ k: '2' }), { as: 'kubectl' });
    expect(taken.data).toEqual({ k: '2' });
    expect(entries(taken)).toMatchObject([
      { manager: 'kubectl', operation: 'Apply' },
      { manager: 'kubectl-client-side-apply', operation: 'Update' },
    ]);
    const { annotations } = taken.metadata as { annotations: Record<string, string> };
    expect(JSON.parse(annotations[annotation] ?? '')).toMatchObject({ data: { k: '2' } });
  });

  it.each<[number, string, JsonObject]>([
    [
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.k: expected string, got &value.valueUnstructured{Value:5}',
      data({ k: 5 }),
    ],
    [
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .extra: field not declared in schema',
      { ...data({}), extra: 1 },
    ],
    [
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="x"]',
      { metadata: { name: 'a', finalizers: ['x', 'x'] } },
    ],
    [400, 'metadata.managedFields must be nil', { metadata: { name: 'a', managedFields: [] } }],
    [400, 'invalid object type: /v1, Kind=Secret', { kind: 'Secret', metadata: { name: 'a' } }],
    [400, 'invalid object type: /v2, Kind=ConfigMap', { apiVersion: 'v2', metadata: { name: 'a' } }],
    [400, 'invalid object type: /, Kind=ConfigMap', { apiVersion: '', metadata: { name: 'a' } }],
  ])('is refused with %i: %s', (status, message, config) => {
    const attempt = () => configMaps.apply(undefined, config);
    expect(attempt).toThrow(ApplyError);
    expect(attempt).toThrow(expect.objectContaining({ status, message }));
  });

  it('is refused if a keyed list has two items of one key', () => {
    expect(() => deployments.apply(undefined, podTemplate({ containers: [{ name: 'c' }, { name: 'c' }] }))).toThrow(
      'failed to create typed patch object (/d; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="c"]',
    );
  });
});

describe('any other write', () => {
  it('makes the creator the owner of all there is', () => {
    const object = configMaps.update(undefined, { ...data({ k: 'v' }), metadata: { name: 'a', labels: { x: 'y' } } });
    expect(ownedBy(object, 'alice')).toEqual({
      'f:data': { '.': {}, 'f:k': {} },
      'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
    });
  });

  it('owns what is always there only by its parts', () => {
    const pod = pods.update(undefined, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', args: ['x'] }] } });
    expect(ownedBy(pod, 'alice')).toEqual({
      'f:spec': {
        'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:args': {}, 'f:name': {}, 'f:resources': {} } },
      },
    });
  });

  it('takes ownership of what it changes, and of nothing else', () => {
    const live = configMaps.apply(undefined, data({ k: '1', n: '1' }));
    const same = configMaps.update(live, live, { as: 'bob' });
    expect(owners(same)).toEqual(['alice']);
    const changed = configMaps.update(live, { ...live, data: { k: '2', n: '1' } }, { as: 'bob' });
    expect(ownedBy(changed, 'alice')).toEqual({ 'f:data': { 'f:n': {} } });
    expect(ownedBy(changed, 'bob')).toEqual({ 'f:data': { 'f:k': {} } });
  });

  it('takes what it removes from its owners', () => {
    const live = configMaps.apply(undefined, data({ k: '1', n: '2' }));
    const object = configMaps.update(live, { metadata: { name: 'a', uid: 'u' }, data: { k: '1' } }, { as: 'bob' });
    expect(ownedBy(object, 'alice')).toEqual({ 'f:data': { 'f:k': {} } });
    expect(owners(object)).toEqual(['alice']);
  });

  it('keeps an applier and an updater of one name apart', () => {
    const live = configMaps.apply(undefined, data({ k: '1' }));
    const object = configMaps.update(live, { ...live, data: { k: '1', n: '1' } });
    expect(entries(object)).toMatchObject([
      { manager: 'alice', operation: 'Apply', fieldsV1: { 'f:data': { 'f:k': {} } } },
      { manager: 'alice', operation: 'Update', fieldsV1: { 'f:data': { 'f:n': {} } } },
    ]);
  });

  it('notes the subresource', () => {
    const pod = pods.update(undefined, { metadata: { name: 'p', labels: { a: 'b' } } });
    const object = pods.update(pod, { ...pod, status: { message: 'm' } }, { as: 'kubelet', subresource: 'status' });
    expect(entries(object).find(({ manager }) => manager === 'kubelet')).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:message': {} } },
    });
  });

  it.each<[string, readonly JsonObject[]]>([
    ['an empty list', []],
    ['one empty entry', [{}]],
  ])('forgets the managers when told to by %s', (_, managedFields) => {
    const live = configMaps.update(undefined, data({ k: '1' }));
    const object = configMaps.update(
      live,
      { ...live, metadata: { name: 'a', uid: 'u', managedFields } },
      { as: 'bob' },
    );
    expect(owners(object)).toEqual([]);
    expect(owners(configMaps.update(object, { ...object, data: { k: '2' } }))).toEqual([]);
  });

  it('joins the oldest updaters once there are more than ten', () => {
    let object = configMaps.update(undefined, data({ k0: '0' }), { as: 'm0' });
    for (let index = 1; index <= 12; index++) {
      const values = { ...(object.data as JsonObject), [`k${index}`]: '1' };
      const now = `2024-01-01T00:00:${String(index).padStart(2, '0')}Z`;
      object = configMaps.update(object, { ...object, data: values }, { as: `m${index}`, now });
    }
    expect(owners(object)).toHaveLength(10);
    expect(ownedBy(object, 'ancient-changes')).toEqual({
      'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    });
  });
});
