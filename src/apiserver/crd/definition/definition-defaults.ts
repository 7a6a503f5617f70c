import { asArray, asObject, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';

/** Completes a CustomResourceDefinition as apiextensions' v1 defaults do: names, conversion, the first stored version. */
export const applyDefinitionDefaults = (object: JsonObject): JsonObject => {
  const spec = asObject(object.spec);
  const names = asObject(spec.names);
  const kind = asString(names.kind);
  const status = asObject(object.status);
  const storage = asArray(spec.versions)
    .map(asObject)
    .find((version) => version.storage === true);
  const stored = asArray(status.storedVersions);
  return {
    ...object,
    spec: {
      ...spec,
      names: {
        plural: names.plural,
        singular: asString(names.singular) === '' ? kind.toLowerCase() : names.singular,
        ...(names.shortNames === undefined ? {} : { shortNames: names.shortNames }),
        kind: names.kind,
        ...(asString(names.listKind) === '' && kind === ''
          ? {}
          : { listKind: asString(names.listKind) || `${kind}List` }),
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
