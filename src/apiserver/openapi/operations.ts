import type { JsonObject } from '../kind.ts';
import { type Dialect, refTo } from './dialect.ts';
import {
  type GroupVersionKind,
  type OpenApiResource,
  type OpenApiSubresource,
  rootPathOf,
} from './open-api-resource.ts';
import { pathParameters, queryParameters } from './parameters.ts';

/** Names of the definitions that a resource's operations speak of. */
export interface Bodies {
  readonly item: string;
  readonly list: string;
  /** Of a subresource's kind, where it has a definition. */
  readonly subresource: (subresource: OpenApiSubresource) => string | undefined;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const PATCH = `${META}.Patch`;
const DELETE_OPTIONS = `${META}.DeleteOptions`;
const STATUS = `${META}.Status`;

const JSON_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const CUSTOM_TYPES = ['application/json', 'application/yaml'];
const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const CUSTOM_PATCH_TYPES = PATCH_TYPES.filter((type) => !type.includes('strategic'));

interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  /** `x-kubernetes-action` */
  readonly action: string;
  readonly id: string;
  readonly kind: GroupVersionKind;
  readonly request?: string | undefined;
  readonly response: string | undefined;
}

/** The paths of a resource and its subresources, with their operations. */
export function pathsOf(resource: OpenApiResource, bodies: Bodies, dialect: Dialect): JsonObject {
  const root = `/${rootPathOf(resource)}`;
  const scope = resource.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${root}${scope}/${resource.plural}`;
  const paths: [string, readonly Operation[]][] = [
    [collection, collectionOperations(resource, bodies)],
    [`${collection}/{name}`, itemOperations(resource, bodies)],
  ];
  if (resource.namespaced && resource.verbs.includes('list')) {
    paths.push([`${root}/${resource.plural}`, [listEverywhere(resource, bodies)]]);
  }
  for (const subresource of resource.subresources) {
    paths.push([`${collection}/{name}/${subresource.name}`, subresourceOperations(resource, subresource, bodies)]);
  }
  const custom = resource.schema !== undefined;
  return Object.fromEntries(
    paths
      .filter(([, operations]) => operations.length > 0)
      .map(([path, operations]) => [path, pathItem(path, operations, dialect, custom)]),
  );
}

function pathItem(path: string, operations: readonly Operation[], dialect: Dialect, custom: boolean): JsonObject {
  const made = operations.map((operation): [string, JsonObject] => [
    operation.method,
    dialect === 'v2' ? operationV2(operation, custom) : operationV3(operation, custom),
  ]);
  return { ...Object.fromEntries(made), parameters: pathParameters(path, dialect) };
}

function collectionOperations(resource: OpenApiResource, { item, list }: Bodies): readonly Operation[] {
  const has = (verb: string): boolean => resource.verbs.includes(verb);
  const id = (verb: string, between = ''): string => operationId(verb, resource, between, '');
  return [
    ...(has('list')
      ? [{ method: 'get', action: 'list', id: id('list'), kind: resource, response: list } as const]
      : []),
    ...(has('create')
      ? [{ method: 'post', action: 'post', id: id('create'), kind: resource, request: item, response: item } as const]
      : []),
    ...(has('deletecollection')
      ? [
          {
            method: 'delete',
            action: 'deletecollection',
            id: id('delete', 'Collection'),
            kind: resource,
            request: DELETE_OPTIONS,
            response: STATUS,
          } as const,
        ]
      : []),
  ];
}

function itemOperations(resource: OpenApiResource, { item }: Bodies): readonly Operation[] {
  const has = (verb: string): boolean => resource.verbs.includes(verb);
  const id = (verb: string): string => operationId(verb, resource, '', '');
  return [
    ...(has('get') ? [{ method: 'get', action: 'get', id: id('read'), kind: resource, response: item } as const] : []),
    ...(has('update')
      ? [{ method: 'put', action: 'put', id: id('replace'), kind: resource, request: item, response: item } as const]
      : []),
    ...(has('delete')
      ? [
          {
            method: 'delete',
            action: 'delete',
            id: id('delete'),
            kind: resource,
            request: DELETE_OPTIONS,
            response: STATUS,
          } as const,
        ]
      : []),
    ...(has('patch')
      ? [{ method: 'patch', action: 'patch', id: id('patch'), kind: resource, request: PATCH, response: item } as const]
      : []),
  ];
}

const listEverywhere = (resource: OpenApiResource, { list }: Bodies): Operation => ({
  method: 'get',
  action: 'list',
  id: `list${groupName(resource)}${capital(resource.version)}${resource.kind}ForAllNamespaces`,
  kind: resource,
  response: list,
});

const SUBRESOURCE_VERBS = [
  ['get', 'get', 'read'],
  ['create', 'post', 'create'],
  ['update', 'put', 'replace'],
  ['patch', 'patch', 'patch'],
] as const;

function subresourceOperations(
  resource: OpenApiResource,
  subresource: OpenApiSubresource,
  bodies: Bodies,
): readonly Operation[] {
  const body = bodies.subresource(subresource);
  return SUBRESOURCE_VERBS.filter(([verb]) => subresource.verbs.includes(verb)).map(([, method, name]) => ({
    method,
    action: method,
    id: operationId(name, resource, '', capital(subresource.name)),
    kind: subresource,
    request: method === 'patch' ? PATCH : method === 'get' ? undefined : body,
    response: body,
  }));
}

/** `listCoreV1NamespacedPod` */
function operationId(verb: string, resource: OpenApiResource, between: string, end: string): string {
  const scope = resource.namespaced ? 'Namespaced' : '';
  return `${verb}${groupName(resource)}${capital(resource.version)}${between}${scope}${resource.kind}${end}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function groupName({ group }: GroupVersionKind): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split('.')
    .map(capital)
    .join('');
}

function common({ id, action, kind }: Operation): JsonObject {
  const { group, version } = kind;
  return {
    operationId: id,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind: kind.kind, version },
  };
}

const producedBy = ({ action }: Operation, custom: boolean): readonly string[] => {
  const types = custom ? CUSTOM_TYPES : JSON_TYPES;
  if (action !== 'list') return types;
  return [...types, ...(custom ? STREAM_TYPES.slice(0, 1) : STREAM_TYPES)];
};

const patchTypes = (custom: boolean): readonly string[] => (custom ? CUSTOM_PATCH_TYPES : PATCH_TYPES);

function operationV3(operation: Operation, custom: boolean): JsonObject {
  const { action, request, response } = operation;
  const content = (name: string, types: readonly string[]): JsonObject =>
    Object.fromEntries(types.map((type) => [type, { schema: refTo(name, 'v3') }]));
  const parameters = queryParameters(action, 'v3');
  return {
    ...common(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined
      ? {}
      : { requestBody: { content: content(request, action === 'patch' ? patchTypes(custom) : ['*/*']) } }),
    responses: {
      200: {
        description: 'OK',
        ...(response === undefined ? {} : { content: content(response, producedBy(operation, custom)) }),
      },
      401: { description: 'Unauthorized' },
    },
  };
}

function operationV2(operation: Operation, custom: boolean): JsonObject {
  const { action, request, response } = operation;
  const body = request === undefined ? [] : [{ in: 'body', name: 'body', schema: refTo(request, 'v2') }];
  return {
    ...common(operation),
    consumes: action === 'patch' ? patchTypes(custom) : ['*/*'],
    produces: producedBy(operation, custom),
    schemes: ['https'],
    parameters: [...body, ...queryParameters(action, 'v2')],
    responses: {
      200: { description: 'OK', ...(response === undefined ? {} : { schema: refTo(response, 'v2') }) },
      401: { description: 'Unauthorized' },
    },
  };
}
