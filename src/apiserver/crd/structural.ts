import type { JsonSchema, ValidationRule } from '../../apis/crds/json-schema.ts';
import type { Json } from '../kind.ts';
import { supportedFormat } from './formats.ts';

/**
 * A schema compiled for walking: lookups are maps, patterns are compiled at their first use, unsupported formats are
 * gone. One object per node of the JSON schema, so that it can key caches.
 */
export interface Structural {
  readonly source: JsonSchema;
  /** JSON types; both of int-or-string. Empty: any. */
  readonly types: readonly string[];
  readonly format: string;
  readonly nullable: boolean;
  /** Undefined: none. A default of null counts as none. */
  readonly defaultValue: Json | undefined;
  readonly properties: ReadonlyMap<string, Structural>;
  /** The schema of values under other keys; `closed` when additionalProperties is false. */
  readonly additional: Structural | undefined;
  /** `true` also when additionalProperties is given as a schema: such keys are never pruned. */
  readonly allowsAdditional: boolean;
  readonly closed: boolean;
  readonly items: Structural | undefined;
  readonly allOf: readonly Structural[];
  readonly anyOf: readonly Structural[];
  readonly oneOf: readonly Structural[];
  readonly not: Structural | undefined;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  readonly atomicMap: boolean;
  readonly rules: readonly ValidationRule[];
}

const compileMap = (schemas: Readonly<Record<string, JsonSchema>> | undefined): ReadonlyMap<string, Structural> => {
  const out = new Map<string, Structural>();
  for (const [name, schema] of Object.entries(schemas ?? {})) out.set(name, compileStructural(schema));
  return out;
};

const listType = (name: string | undefined): Structural['listType'] =>
  name === 'set' || name === 'map' || name === 'atomic' ? name : undefined;

/** Compiles a schema that validation of its definition let through; anything else is read leniently. */
export const compileStructural = (source: JsonSchema): Structural => {
  const intOrString = source['x-kubernetes-int-or-string'] === true;
  const additional = source.additionalProperties;
  const types = intOrString
    ? ['integer', 'string']
    : source.type === undefined || source.type === ''
      ? []
      : [source.type];
  return {
    source,
    types,
    format: supportedFormat(source.format, source.type),
    nullable: source.nullable === true,
    defaultValue: source.default === null ? undefined : source.default,
    properties: compileMap(source.properties),
    additional: typeof additional === 'object' ? compileStructural(additional) : undefined,
    allowsAdditional: additional !== undefined,
    closed: additional === false,
    items: source.items === undefined ? undefined : compileStructural(source.items),
    allOf: (source.allOf ?? []).map(compileStructural),
    anyOf: (source.anyOf ?? []).map(compileStructural),
    oneOf: (source.oneOf ?? []).map(compileStructural),
    not: source.not === undefined ? undefined : compileStructural(source.not),
    preserveUnknown: source['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: source['x-kubernetes-embedded-resource'] === true,
    intOrString,
    listType: listType(source['x-kubernetes-list-type']),
    listMapKeys: source['x-kubernetes-list-map-keys'] ?? [],
    atomicMap: source['x-kubernetes-map-type'] === 'atomic',
    rules: source['x-kubernetes-validations'] ?? [],
  };
};

/** The schema of what stands under `name`, if the schema says anything about it. */
export const propertyOf = (schema: Structural | undefined, name: string): Structural | undefined =>
  schema?.properties.get(name) ?? schema?.additional;
