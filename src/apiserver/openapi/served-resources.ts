import { isObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { OpenApiResource } from './open-api-resource.ts';

/** Served resources as OpenAPI shows them; `definitionOf` gives the CustomResourceDefinition of a name. */
export const openApiResources = (
  resources: readonly ResourceDefinition[],
  definitionOf: (crd: string) => JsonObject | undefined,
): readonly OpenApiResource[] =>
  resources.map((resource) => {
    const { group, version, kind, plural, namespaced, verbs, crd } = resource;
    const subresources = Object.entries(resource.subresources).map(([name, subresource]) => ({
      ...(subresource.kind ?? { group, version, kind }),
      name,
      verbs: subresource.verbs,
    }));
    const custom = crd === undefined ? {} : { schema: schemaOf(definitionOf(crd), version) };
    return { group, version, kind, plural, namespaced, verbs, subresources, ...custom };
  });

function schemaOf(definition: JsonObject | undefined, version: string): JsonObject {
  const spec = isObject(definition?.spec) ? definition.spec : {};
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly JsonObject[]) : [];
  const schema = versions.find(({ name }) => name === version)?.schema;
  const found = isObject(schema) ? schema.openAPIV3Schema : undefined;
  return isObject(found) ? found : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}
