import type { ValidationRule } from '../../../apis/crds/json-schema.ts';
import { isObject } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { type Correlation, findByKeys } from '../correlation.ts';
import type { Structural } from '../structural.ts';
import type { CelEngine, CompiledExpression } from './cel-engine.ts';
import { toCel } from './cel-values.ts';
import { evaluationWords } from './evaluation-words.ts';
import { readFieldPath } from './field-path.ts';

/** A message expression's result may be this long, in bytes. */
const MAX_MESSAGE = 5 * 1024;

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: CompiledExpression | undefined;
  /** Why there is no program. */
  readonly fault: string;
  readonly message: CompiledExpression | undefined;
  /** Below the rule's own value. */
  readonly fieldPath: string;
}

/** The rules of one schema node and of what lies below it; undefined where there are none. */
export interface RuleSet {
  readonly schema: Structural;
  readonly resource: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleSet>;
  readonly additional: RuleSet | undefined;
  readonly items: RuleSet | undefined;
}

const hasText = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

const compileRule = (engine: CelEngine, schema: Structural, rule: ValidationRule): CompiledRule => {
  const optional = rule.optionalOldSelf === true;
  const path = hasText(rule.fieldPath) ? readFieldPath(rule.fieldPath.trim(), schema) : { path: '' };
  const fieldPath = 'path' in path ? path.path : '';
  try {
    const message = hasText(rule.messageExpression) ? engine.compile(rule.messageExpression, optional) : undefined;
    return { rule, program: engine.compile(rule.rule, optional), fault: '', message, fieldPath };
  } catch (error) {
    return { rule, program: undefined, fault: evaluationWords(error), message: undefined, fieldPath };
  }
};

/** Whether any rule stands in the schema, so that CEL has to be loaded for it. */
export const hasRules = (schema: Structural | undefined): boolean => {
  if (schema === undefined) return false;
  if (schema.rules.length > 0 || hasRules(schema.items) || hasRules(schema.additional)) return true;
  return [...schema.properties.values()].some(hasRules);
};

export const compileRules = (engine: CelEngine, schema: Structural, resource: boolean): RuleSet | undefined => {
  if (!hasRules(schema)) return undefined;
  const properties = new Map<string, RuleSet>();
  for (const [name, property] of schema.properties) {
    const inner = compileRules(engine, property, property.embedded);
    if (inner !== undefined) properties.set(name, inner);
  }
  const below = (inner: Structural | undefined): RuleSet | undefined =>
    inner === undefined ? undefined : compileRules(engine, inner, inner.embedded);
  return {
    schema,
    resource,
    rules: schema.rules.filter(({ rule }) => rule.trim() !== '').map((rule) => compileRule(engine, schema, rule)),
    properties,
    additional: below(schema.additional),
    items: below(schema.items),
  };
};

/** Where an unchanged value, or its nearest comparable parent, forgives failures (ratcheting). */
interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

const forgives = ({ current, parent }: Ratchet): boolean => (current ?? parent)?.unchanged ?? false;

const step = (ratchet: Ratchet, next: (current: Correlation) => Correlation | undefined): Ratchet =>
  ratchet.current === undefined ? ratchet : { current: next(ratchet.current), parent: ratchet.current };

/** Runs all rules over an object, and over its predecessor on update (apiextensions' schema/cel.Validator). */
export class RuleRunner {
  readonly #engine: CelEngine;
  readonly #set: RuleSet;

  constructor(engine: CelEngine, set: RuleSet) {
    this.#engine = engine;
    this.#set = set;
  }

  /** `path`: where the object stands; empty for a whole one. */
  validate(
    object: Json,
    old: Json | undefined,
    correlation: Correlation | undefined,
    path = '',
  ): readonly FieldError[] {
    const errors: FieldError[] = [];
    this.#visit(path, this.#set, object, old, { current: correlation, parent: undefined }, errors);
    return errors;
  }

  #visit(path: string, set: RuleSet, value: Json, old: Json | undefined, ratchet: Ratchet, errors: FieldError[]): void {
    if (value === null) return;
    if (set.rules.length > 0) this.#runRules(path, set, value, old, ratchet, errors);
    if (Array.isArray(value)) {
      const { items } = set;
      if (items === undefined) return;
      for (const [at, item] of (value as readonly Json[]).entries()) {
        const before = findByKeys(set.schema, old, item);
        this.#visit(
          field.index(path, at),
          items,
          item,
          before,
          step(ratchet, (here) => here.item(at)),
          errors,
        );
      }
    } else if (isObject(value)) this.#visitFields(path, set, value, old, ratchet, errors);
  }

  #visitFields(
    path: string,
    set: RuleSet,
    value: JsonObject,
    old: Json | undefined,
    ratchet: Ratchet,
    errors: FieldError[],
  ): void {
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const property = set.properties.get(name);
      const inner = property ?? set.additional;
      if (inner === undefined) continue;
      const at = property === undefined ? field.key(path, name) : field.child(path, name);
      const before = isObject(old) ? old[name] : undefined;
      this.#visit(
        at,
        inner,
        item,
        before,
        step(ratchet, (here) => here.field(name)),
        errors,
      );
    }
  }

  #runRules(
    path: string,
    set: RuleSet,
    value: Json,
    old: Json | undefined,
    ratchet: Ratchet,
    errors: FieldError[],
  ): void {
    const { schema, resource } = set;
    const known = old !== undefined && old !== null;
    const self = toCel(value, schema, resource, this.#engine.readDuration);
    const oldSelf = known ? toCel(old, schema, resource, this.#engine.readDuration) : undefined;
    const type = schema.source.type ?? '';
    for (const compiled of set.rules) {
      const { rule, program } = compiled;
      if (program === undefined) {
        errors.push(field.invalid(path, type, `rule compile error: ${compiled.fault}`));
        continue;
      }
      if (program.usesOldSelf && !known && rule.optionalOldSelf !== true) continue;
      let outcome: unknown;
      try {
        outcome = program.run(self, oldSelf);
      } catch (error) {
        errors.push(field.invalid(path, type, failureWords(evaluationWords(error), rule)));
        continue;
      }
      if (outcome === true || (!program.usesOldSelf && forgives(ratchet))) continue;
      const shown = type === 'object' || type === 'array' ? field.OMITTED : value;
      const at = compiled.fieldPath === '' ? path : field.child(path, compiled.fieldPath);
      errors.push(forReason(at, shown, detailOf(compiled, self, oldSelf), rule));
    }
  }
}

const nameOf = (rule: ValidationRule): string => (hasText(rule.message) ? rule.message.trim() : rule.rule.trim());

const failureWords = (words: string, rule: ValidationRule): string =>
  words === 'no such overload'
    ? `'${words}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`
    : `${words} evaluating rule: ${nameOf(rule)}`;

/** The message of a broken rule: its expression's text if that comes to a proper one, else the fixed message. */
const detailOf = ({ rule, message }: CompiledRule, self: unknown, oldSelf: unknown): string => {
  const fixed = hasText(rule.message) ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
  if (message === undefined) return fixed;
  try {
    const made = message.run(self, oldSelf);
    const text = typeof made === 'string' ? made.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE ? fixed : text;
  } catch {
    return fixed;
  }
};

const forReason = (path: string, value: unknown, detail: string, rule: ValidationRule): FieldError => {
  if (rule.reason === 'FieldValueForbidden') return field.forbidden(path, detail);
  if (rule.reason === 'FieldValueRequired') return field.required(path, detail);
  return rule.reason === 'FieldValueDuplicate' ? field.duplicate(path, value) : field.invalid(path, value, detail);
};
