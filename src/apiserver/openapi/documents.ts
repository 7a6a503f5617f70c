import type { Json, JsonObject } from '../kind.ts';
import type { BuiltinTypes } from '../types/index.ts';
import { addCustomKind } from './custom-definitions.ts';
import { Definitions } from './definitions.ts';
import type { Dialect } from './dialect.ts';
import { groupVersionOf, type OpenApiResource } from './open-api-resource.ts';
import { pathsOf } from './operations.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export interface DocumentContext {
  readonly types: BuiltinTypes;
  /** The `gitVersion` that /version tells. */
  readonly version: string;
}

/** The OpenAPI v3 document of one group version's resources. */
export function openApiV3(resources: readonly OpenApiResource[], context: DocumentContext): JsonObject {
  const { definitions, paths } = build(resources, 'v3', context);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: context.version },
    paths,
    components: { schemas: definitions },
  };
}

/** The OpenAPI v2 document of all resources. */
export function openApiV2(resources: readonly OpenApiResource[], context: DocumentContext): JsonObject {
  const { definitions, paths } = build(resources, 'v2', context);
  return { swagger: '2.0', info: { title: 'Kubernetes', version: context.version }, paths, definitions };
}

interface Built {
  readonly definitions: JsonObject;
  readonly paths: JsonObject;
}

function build(resources: readonly OpenApiResource[], dialect: Dialect, { types }: DocumentContext): Built {
  const definitions = new Definitions(dialect, types);
  const paths: Record<string, Json> = {};
  for (const kind of ['DeleteOptions', 'Status', 'APIResourceList', 'WatchEvent']) definitions.addKind('v1', kind);
  definitions.set(`${META}.Patch`, { type: 'object' });
  const versions = new Set<string>();
  const kinds = new Map<string, Map<string, JsonObject>>();
  const mark = (name: string | undefined, group: string, version: string, kind: string): void => {
    if (name === undefined) return;
    const known = kinds.get(name) ?? new Map<string, JsonObject>();
    known.set(`${group}/${version}/${kind}`, { group, kind, version });
    kinds.set(name, known);
  };
  for (const resource of resources) {
    const { group, version, kind } = resource;
    const groupVersion = groupVersionOf(resource);
    versions.add(groupVersion);
    const custom = resource.schema !== undefined;
    const item = custom ? addCustomKind(resource, definitions, dialect) : definitions.addKind(groupVersion, kind);
    if (item === undefined) continue;
    const list = custom ? `${item}List` : (definitions.addKind(groupVersion, `${kind}List`) ?? item);
    if (!custom) {
      mark(item, group, version, kind);
      if (list !== item) mark(list, group, version, `${kind}List`);
    }
    const subresource = (sub: OpenApiResource['subresources'][number]): string | undefined => {
      if (custom && sub.kind === kind) return item;
      const name = definitions.addKind(groupVersionOf(sub), sub.kind);
      mark(name, sub.group, sub.version, sub.kind);
      return name;
    };
    Object.assign(paths, pathsOf(resource, { item, list, subresource }, dialect));
  }
  mark(`${META}.Status`, '', 'v1', 'Status');
  mark(`${META}.APIResourceList`, '', 'v1', 'APIResourceList');
  for (const groupVersion of [...versions].sort()) {
    const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
    for (const kind of ['DeleteOptions', 'WatchEvent']) mark(`${META}.${kind}`, group, version, kind);
  }
  for (const [name, known] of kinds) definitions.mark(name, [...known.values()]);
  const sorted = Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1));
  return { definitions: definitions.all(), paths: Object.fromEntries(sorted) };
}
