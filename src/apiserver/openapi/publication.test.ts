import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../kind.ts';
import { BuiltinTypes } from '../types/index.ts';
import { OpenApiPublication, type OpenApiResource } from './index.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const resource = (
  group: string,
  version: string,
  kind: string,
  more: Partial<OpenApiResource> = {},
): OpenApiResource => ({
  group,
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
  verbs: VERBS,
  subresources: [],
  ...more,
});

const scale = { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] };
const widget: OpenApiResource = resource('example.com', 'v1', 'Widget', {
  namespaced: false,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', default: 1 },
          color: { type: 'string', nullable: true },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        },
      },
    },
  },
});

const publication = new OpenApiPublication(
  [
    resource('', 'v1', 'Pod'),
    resource('', 'v1', 'Node', { namespaced: false }),
    resource('apps', 'v1', 'Deployment', { subresources: [scale] }),
    widget,
  ],
  { types: new BuiltinTypes(), version: 'v1.36.3' },
);

const v3 = (path: string): JsonObject => JSON.parse(publication.v3(path)?.body ?? 'null') as JsonObject;
const v2 = JSON.parse(publication.v2().body) as JsonObject;
const at = (document: JsonObject, ...keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((value, key) => (value as JsonObject | undefined)?.[key], document);
const schema = (path: string, name: string, ...keys: readonly string[]) =>
  at(v3(path), 'components', 'schemas', name, ...keys);

describe('the OpenAPI v3 documents', () => {
  it('are listed by group version, with their hash', () => {
    const { paths } = publication.index() as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toEqual(['api/v1', 'apis/apps/v1', 'apis/example.com/v1']);
    expect(paths['apis/apps/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    expect(publication.v3('apis/nope.example.com/v1')).toBeUndefined();
  });

  it('name the kind of a definition, its fields and which are required', () => {
    expect(schema('api/v1', 'io.k8s.api.core.v1.Pod', 'x-kubernetes-group-version-kind')).toEqual([
      { group: '', kind: 'Pod', version: 'v1' },
    ]);
    expect(Object.keys(schema('apis/apps/v1', 'io.k8s.api.apps.v1.Deployment', 'properties') as JsonObject)).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'spec',
      'status',
    ]);
    expect(schema('apis/apps/v1', 'io.k8s.api.apps.v1.DeploymentSpec', 'required')).toEqual(['selector', 'template']);
  });

  it('tell lists, maps, enumerations and merge keys', () => {
    const spec = (field: string) => schema('api/v1', 'io.k8s.api.core.v1.PodSpec', 'properties', field);
    expect(spec('containers')).toEqual({
      type: 'array',
      items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(spec('nodeSelector')).toEqual({
      type: 'object',
      additionalProperties: { type: 'string', default: '' },
      'x-kubernetes-map-type': 'atomic',
    });
    expect(schema('api/v1', 'io.k8s.api.core.v1.Toleration', 'properties', 'effect')).toEqual({
      type: 'string',
      enum: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'],
    });
  });

  it('refer to nothing that they do not define', () => {
    for (const path of ['api/v1', 'apis/apps/v1', 'apis/example.com/v1']) {
      const document = v3(path);
      const defined = Object.keys(at(document, 'components', 'schemas') as JsonObject);
      const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
      expect([...references].map(([, name]) => name).filter((name) => !defined.includes(name ?? ''))).toEqual([]);
    }
  });

  it('offer server-side field validation and dry runs for what can be patched', () => {
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
    const patch = at(v3('apis/apps/v1'), 'paths', path, 'patch') as JsonObject;
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', kind: 'Deployment', version: 'v1' });
    const names = (patch.parameters as readonly JsonObject[]).map(({ name }) => name);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(Object.keys(at(v3('apis/apps/v1'), 'paths', `${path}/scale`) as JsonObject).sort()).toEqual([
      'get',
      'parameters',
      'patch',
      'put',
    ]);
  });

  it('show a custom kind by its own schema', () => {
    const own = (...keys: readonly string[]) => schema('apis/example.com/v1', 'com.example.v1.Widget', ...keys);
    expect(own('properties', 'spec')).toEqual(at(widget.schema ?? {}, 'properties', 'spec'));
    expect(own('properties', 'metadata')).toEqual({
      $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    });
    expect(own('x-kubernetes-group-version-kind')).toEqual([{ group: 'example.com', kind: 'Widget', version: 'v1' }]);
    expect(schema('apis/example.com/v1', 'com.example.v1.WidgetList', 'required')).toEqual(['items']);
  });
});

describe('the OpenAPI v2 document', () => {
  it('holds all groups and names their operations', () => {
    const operation = (path: string, method: string) => at(v2, 'paths', path, method) as JsonObject;
    const pods = '/api/v1/namespaces/{namespace}/pods';
    expect(operation(pods, 'get')).toMatchObject({
      operationId: 'listCoreV1NamespacedPod',
      'x-kubernetes-action': 'list',
    });
    expect(operation(pods, 'delete').operationId).toBe('deleteCoreV1CollectionNamespacedPod');
    expect(operation('/api/v1/pods', 'get').operationId).toBe('listCoreV1PodForAllNamespaces');
    expect(operation('/api/v1/nodes/{name}', 'put').operationId).toBe('replaceCoreV1Node');
    expect(operation(`${pods}/{name}`, 'patch').consumes).toContain('application/strategic-merge-patch+json');
    expect(operation('/apis/example.com/v1/widgets/{name}', 'patch').consumes).not.toContain(
      'application/strategic-merge-patch+json',
    );
  });

  it('leaves out of custom schemas what v2 cannot say', () => {
    expect(at(v2, 'definitions', 'com.example.v1.Widget', 'properties', 'spec')).toEqual({
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer' },
        color: {},
        port: { 'x-kubernetes-int-or-string': true },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
  });

  it('has no defaults', () => {
    const definitions = Object.values(v2.definitions as Record<string, { properties?: JsonObject }>);
    const properties = definitions.flatMap(({ properties = {} }) => Object.values(properties) as JsonObject[]);
    expect(properties.filter((property) => property.default !== undefined)).toEqual([]);
  });
});
