import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import type { Definitions } from './definitions.ts';
import { type Dialect, refTo, refWith } from './dialect.ts';
import { customName, type OpenApiResource } from './open-api-resource.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Adds the definitions of a custom kind and of its list; the kind's name. */
export function addCustomKind(resource: OpenApiResource, definitions: Definitions, dialect: Dialect): string {
  const { group, version, kind } = resource;
  definitions.addKind('v1', 'Status');
  definitions.addKind('meta.k8s.io/v1', 'PartialObjectMetadata');
  definitions.addKind('meta.k8s.io/v1', 'PartialObjectMetadataList');
  const schema = resource.schema ?? { type: 'object' };
  const published = dialect === 'v2' ? toV2(schema) : schema;
  const properties = isObject(published.properties) ? published.properties : {};
  const name = customName(resource);
  const metadata = refWith(`${META}.ObjectMeta`, dialect, {});
  definitions.set(name, {
    ...published,
    type: 'object',
    properties: { ...properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  });
  definitions.set(`${name}List`, {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: refTo(name, dialect) },
      kind: { type: 'string' },
      metadata: refWith(`${META}.ListMeta`, dialect, {}),
    },
    'x-kubernetes-group-version-kind': [{ group, kind: `${kind}List`, version }],
  });
  return name;
}

/** What OpenAPI v2 has no word for, or what its readers take wrongly. */
const NOT_IN_V2 = new Set(['default', 'nullable', 'anyOf', 'oneOf', 'not', 'x-kubernetes-validations']);

/** A structural schema as v2 may show it: less strict, never stricter (apiextensions-apiserver controller/openapi/v2). */
function toV2(schema: JsonObject): JsonObject {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true;
  const vague = open || schema.nullable === true;
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || NOT_IN_V2.has(key)) continue;
    if (vague && ['type', 'items', 'properties', 'additionalProperties', 'required', 'format'].includes(key)) continue;
    result[key] = convert(key, value);
  }
  return result;
}

function convert(key: string, value: Json): Json {
  if (key === 'properties' && isObject(value)) {
    const properties = Object.entries(value);
    return Object.fromEntries(properties.map(([name, child]) => [name, isObject(child) ? toV2(child) : child]));
  }
  return (key === 'items' || key === 'additionalProperties') && isObject(value) ? toV2(value) : value;
}
