import type { CustomResourceDefinition } from '../../../apis/crds/definition.ts';
import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import type { FieldError, FieldSchemaRef, JsonObject, Kind } from '../../kind.ts';
import type { StructType } from '../../types/index.ts';
import { decode } from '../../types/index.ts';
import * as field from '../../validation/field-error.ts';
import { goQuote } from '../../validation/go-text.ts';
import { dns1123Subdomain } from '../../validation/names.ts';
import { immutable, validateMeta, validateMetaUpdate } from '../../validation/object-meta.ts';
import { type CelEngine, CelLoader } from '../cel/cel-engine.ts';
import { hasRules } from '../cel/rule-set.ts';
import { isSupportedFormat } from '../formats.ts';
import { compileStructural } from '../structural.ts';
import { applyDefinitionDefaults } from './definition-defaults.ts';
import { validateNames } from './definition-names.ts';
import { isEstablished } from './definition-status.ts';
import { validateApproval, validateDefinitionSpec, validateStoredVersions } from './validate-definition.ts';

const asDefinition = (object: JsonObject): CustomResourceDefinition => object as unknown as CustomResourceDefinition;

const schemasOf = ({ spec }: CustomResourceDefinition): readonly JsonSchema[] =>
  (spec.versions ?? []).flatMap(({ schema }) =>
    schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema],
  );

/** Decoding leaves null where a list was empty. */
const normalize = (object: JsonObject): CustomResourceDefinition => {
  const definition = asDefinition(object);
  return { ...definition, spec: { ...definition.spec, versions: definition.spec.versions ?? [] } };
};

/** apiextensions.k8s.io/v1 CustomResourceDefinition itself. */
export class DefinitionKind implements Kind {
  readonly group = 'apiextensions.k8s.io';
  readonly version = 'v1';
  readonly kind = 'CustomResourceDefinition';
  readonly schema: FieldSchemaRef;
  readonly #struct: StructType;
  readonly #loader: CelLoader;
  #cel: CelEngine | undefined;

  constructor(
    pieces: { readonly struct: StructType; readonly schema: FieldSchemaRef },
    cel: CelLoader = new CelLoader(),
  ) {
    this.#struct = pieces.struct;
    this.schema = pieces.schema;
    this.#loader = cel;
  }

  async prepare(object?: JsonObject): Promise<void> {
    if (this.#cel !== undefined) return;
    const needed =
      object === undefined || schemasOf(asDefinition(object)).some((schema) => hasRules(compileStructural(schema)));
    if (needed) this.#cel = await this.#loader.load();
  }

  decode(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] } {
    return decode(object, this.#struct);
  }

  applyDefaults(object: JsonObject): JsonObject {
    return applyDefinitionDefaults(object);
  }

  validateCreate(object: JsonObject): readonly FieldError[] {
    const definition = normalize(object);
    const { names, group } = definition.spec;
    const name = (value: string): readonly string[] => [
      ...dns1123Subdomain(value),
      ...(value === `${names.plural}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
    ];
    return [
      ...validateMeta(object, { namespaced: false, name }),
      ...validateDefinitionSpec(definition.spec, this.#cel),
      ...this.#validateRest(definition, undefined),
    ];
  }

  validateUpdate(object: JsonObject, previous: JsonObject, subresource: string): readonly FieldError[] {
    const [definition, old] = [normalize(object), normalize(previous)];
    const meta = validateMetaUpdate(object, previous);
    if (subresource === 'status') {
      return [...meta, ...validateNames('status.acceptedNames', definition.status?.acceptedNames ?? {})];
    }
    const [spec, oldSpec] = [definition.spec, old.spec];
    const fixed = isEstablished(old)
      ? [
          ...immutable('spec.scope', spec.scope, oldSpec.scope),
          ...immutable('spec.names.kind', spec.names.kind, oldSpec.names.kind),
        ]
      : [];
    return [
      ...meta,
      ...validateDefinitionSpec(spec, this.#cel),
      ...fixed,
      ...immutable('spec.group', spec.group, oldSpec.group),
      ...immutable('spec.names.plural', spec.names.plural, oldSpec.names.plural),
      ...this.#validateRest(definition, old),
    ];
  }

  warnings(object: JsonObject, old?: JsonObject): readonly string[] {
    const known = new Set(old === undefined ? [] : schemasOf(asDefinition(old)).flatMap(strangeFormats));
    const found = schemasOf(asDefinition(object)).flatMap(strangeFormats);
    return found.filter((format) => !known.has(format)).map((format) => `unrecognized format ${goQuote(format)}`);
  }

  #validateRest(
    definition: CustomResourceDefinition,
    old: CustomResourceDefinition | undefined,
  ): readonly FieldError[] {
    const preserved = definition.spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true;
    const words =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    return [
      ...validateNames('status.acceptedNames', definition.status?.acceptedNames ?? {}),
      ...validateStoredVersions(definition),
      ...validateApproval(definition, old),
      ...(preserved ? [field.invalid('spec.preserveUnknownFields', true, words)] : []),
    ];
  }
}

/** Formats that mean nothing to the API, anywhere in a schema. */
const strangeFormats = (schema: JsonSchema): readonly string[] => {
  const { format, type, items, properties = {}, additionalProperties: additional, not } = schema;
  const own = format !== undefined && format !== '' && !isSupportedFormat(format, type) ? [format] : [];
  const below = [
    ...(items === undefined ? [] : [items]),
    ...Object.values(properties),
    ...(typeof additional === 'object' ? [additional] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not === undefined ? [] : [not]),
  ];
  return [...own, ...below.flatMap(strangeFormats)];
};
