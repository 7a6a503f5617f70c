import type { CustomResourceDefinition, ScalePaths } from '../../apis/crds/definition.ts';
import type { FieldError, FieldSchemaRef, JsonObject, Kind } from '../kind.ts';
import * as field from '../validation/field-error.ts';
import { finalizerWarnings, validateMeta, validateMetaUpdate } from '../validation/object-meta.ts';
import { CelLoader } from './cel/cel-engine.ts';
import { compileRules, hasRules, RuleRunner } from './cel/rule-set.ts';
import { Correlation } from './correlation.ts';
import { decodeMeta } from './decode-meta.ts';
import { applySchemaDefaults, dropNulls } from './default-values.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { fieldSchemaOf } from './field-schema.ts';
import { checkListUniqueness } from './list-uniqueness.ts';
import { validateOpenApi } from './openapi.ts';
import { pruneObject } from './prune.ts';
import { validateScaleFloats, validateScaleSpec, validateScaleStatus } from './scale-paths.ts';
import { compileStructural, type Structural } from './structural.ts';

/** Errors after which CEL rules aren't run, since they'd trip over the same values. */
const BLOCKING: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const RULES_SKIPPED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** One version of a custom resource, as its definition describes it. Schemas and rules are compiled once. */
export class CustomResourceKind implements Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether status has a subresource of its own. */
  readonly hasStatus: boolean;
  /** Where the scale subresource finds its numbers, if there is one. */
  readonly scale: ScalePaths | undefined;
  readonly schema: FieldSchemaRef;
  readonly #structural: Structural;
  readonly #status: Structural | undefined;
  readonly #cel: CelLoader;
  readonly #hasRules: boolean;
  #runner: RuleRunner | undefined;

  /** @throws RangeError if the definition has no such version. */
  constructor(definition: CustomResourceDefinition, version: string, cel: CelLoader = new CelLoader()) {
    const { spec } = definition;
    const described = spec.versions.find(({ name }) => name === version);
    if (described === undefined) throw new RangeError(`${definition.metadata.name} has no version ${version}`);
    this.group = spec.group;
    this.version = version;
    this.kind = spec.names.kind;
    this.namespaced = spec.scope === 'Namespaced';
    this.hasStatus = described.subresources?.status !== undefined;
    this.scale = described.subresources?.scale;
    this.#structural = compileStructural(described.schema?.openAPIV3Schema ?? {});
    this.#status = this.#structural.properties.get('status');
    this.#cel = cel;
    this.#hasRules = hasRules(this.#structural);
    const schema = fieldSchemaOf(this.#structural, true);
    this.schema = () => schema;
  }

  async prepare(): Promise<void> {
    if (!this.#hasRules || this.#runner !== undefined) return;
    const engine = await this.#cel.load();
    const rules = compileRules(engine, this.#structural, true);
    if (rules !== undefined) this.#runner = new RuleRunner(engine, rules);
  }

  decode(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] } {
    const unknown: string[] = [];
    const decoded = decodeMeta(object, this.#structural, unknown);
    const { value, dropped } = pruneObject(decoded, this.#structural);
    const complaints = [...unknown, ...dropped].map((path) => `unknown field "${path}"`);
    return { object: dropNulls(value, this.#structural) as JsonObject, unknown: complaints };
  }

  applyDefaults(object: JsonObject): JsonObject {
    return applySchemaDefaults(object, this.#structural);
  }

  validateCreate(object: JsonObject): readonly FieldError[] {
    const wrong = this.#validateType(object);
    if (wrong.length > 0) return wrong;
    const schema = this.#structural;
    const errors = [
      ...validateMeta(object, { namespaced: this.namespaced }),
      ...validateOpenApi('', schema, object),
      ...validateScaleSpec(object, this.scale),
      ...validateScaleStatus(object, this.scale),
      ...validateEmbedded('', schema, object),
      ...checkListUniqueness('', schema, object),
    ];
    return [...errors, ...this.#runRules(errors, object, undefined)];
  }

  validateUpdate(object: JsonObject, old: JsonObject, subresource: string): readonly FieldError[] {
    const wrong = this.#validateType(object);
    if (wrong.length > 0) return wrong;
    const correlation = new Correlation(object, old, this.#structural);
    const errors = [
      ...validateMetaUpdate(object, old),
      ...(subresource === 'status'
        ? this.#validateStatus(object, correlation)
        : this.#validateWhole(object, correlation)),
    ];
    const uniqueBefore = checkListUniqueness('', this.#structural, old).length === 0;
    if (uniqueBefore) errors.push(...checkListUniqueness('', this.#structural, object));
    return [...errors, ...this.#runRules(errors, object, correlation)];
  }

  validateFloats(floats: ReadonlyMap<string, number>, subresource: string): readonly FieldError[] {
    return validateScaleFloats(floats, this.scale, subresource);
  }

  warnings(object: JsonObject, old?: JsonObject): readonly string[] {
    return finalizerWarnings(object, old);
  }

  #validateType(object: JsonObject): readonly FieldError[] {
    const errors: FieldError[] = [];
    const apiVersion = `${this.group}/${this.version}`;
    if (object.kind !== this.kind) errors.push(field.invalid('kind', object.kind ?? '', `must be ${this.kind}`));
    if (object.apiVersion !== apiVersion) {
      errors.push(field.invalid('apiVersion', object.apiVersion ?? '', `must be ${apiVersion}`));
    }
    return errors;
  }

  #validateWhole(object: JsonObject, correlation: Correlation): readonly FieldError[] {
    return [
      ...validateOpenApi('', this.#structural, object, correlation),
      ...validateScaleSpec(object, this.scale),
      ...validateScaleStatus(object, this.scale),
      ...validateEmbedded('', this.#structural, object),
    ];
  }

  #validateStatus(object: JsonObject, correlation: Correlation): readonly FieldError[] {
    const { status } = object;
    const schema = this.#status;
    const inner =
      status === undefined || schema === undefined
        ? []
        : validateOpenApi('status', schema, status, correlation.field('status'));
    return [...inner, ...validateScaleStatus(object, this.scale)];
  }

  #runRules(
    errors: readonly FieldError[],
    object: JsonObject,
    correlation: Correlation | undefined,
  ): readonly FieldError[] {
    if (!this.#hasRules) return [];
    if (errors.some(({ type }) => BLOCKING.has(type))) return [field.invalid('', null, RULES_SKIPPED)];
    if (this.#runner === undefined) throw new Error(`${this.kind} was validated before prepare()`);
    return this.#runner.validate(object, correlation?.old, correlation);
  }
}
