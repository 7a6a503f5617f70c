import type { JsonObject } from '../../kind.ts';
import { asList, asObject, asText } from '../../validation/json-access.ts';

/** Completes a CustomResourceDefinition as apiextensions' v1 defaults do: names, conversion, the first stored version. */
export const applyDefinitionDefaults = (object: JsonObject): JsonObject => {
  const spec = asObject(object.spec);
  const names = asObject(spec.names);
  const kind = asText(names.kind);
  const status = asObject(object.status);
  const storage = asList(spec.versions)
    .map(asObject)
    .find((version) => version.storage === true);
  const stored = asList(status.storedVersions);
  return {
    ...object,
    spec: {
      ...spec,
      names: {
        plural: names.plural,
        singular: asText(names.singular) === '' ? kind.toLowerCase() : names.singular,
        ...(names.shortNames === undefined ? {} : { shortNames: names.shortNames }),
        kind: names.kind,
        ...(asText(names.listKind) === '' && kind === '' ? {} : { listKind: asText(names.listKind) || `${kind}List` }),
        ...(names.categories === undefined ? {} : { categories: names.categories }),
      },
      conversion: spec.conversion ?? { strategy: 'None' },
    },
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      ...status,
      storedVersions:
        stored.length > 0 || storage === undefined ? (status.storedVersions ?? null) : [storage.name ?? ''],
    },
  };
};
