import type { DefinitionSpec, DefinitionVersion } from '../../../apis/crds/definition.ts';
import { jsonEqual } from '../../../kube/json-equal.ts';
import type { Json } from '../../kind.ts';

type Shared = Pick<DefinitionVersion, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>;

/**
 * A spec as kube-apiserver sees it inside: what all versions have in common stands once, at the top, and errors about it
 * are reported there (apiextensions v1 conversion).
 */
export interface HoistedSpec {
  readonly spec: DefinitionSpec;
  readonly top: Shared;
  readonly versions: readonly DefinitionVersion[];
}

const FIELDS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

const json = (value: unknown): Json => (value ?? null) as Json;

export const hoist = (spec: DefinitionSpec): HoistedSpec => {
  const [first] = spec.versions;
  const top: Record<string, unknown> = {};
  let { versions } = spec;
  for (const name of FIELDS) {
    const value = first?.[name];
    if (value === undefined || !versions.every((version) => jsonEqual(json(version[name]), json(value)))) continue;
    top[name] = value;
    versions = versions.map(({ [name]: _, ...rest }) => rest as DefinitionVersion);
  }
  return { spec, top: top as Shared, versions };
};
