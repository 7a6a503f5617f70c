import type { JsonSchema, ValidationRule } from '../../../apis/crds/json-schema.ts';
import type { FieldError } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { goJson } from '../../validation/go-text.ts';
import type { CelEngine, CompiledExpression } from '../cel/cel-engine.ts';
import { compileWords } from '../cel/compile-words.ts';
import { childCardinality, estimateCost } from '../cel/rule-cost.ts';
import { located } from '../cel/syntax-words.ts';
import { findUndefinedField } from '../cel/undefined-field.ts';
import { compileStructural, type Structural } from '../structural.ts';

/** Whether the rules of a schema compile, fit it and come to an end in time (apiextensions' validation of x-kubernetes-validations). */

const RULE_LIMIT = 10_000_000;
const TOTAL_LIMIT = 100_000_000;

interface Visit {
  readonly cel: CelEngine;
  readonly errors: FieldError[];
  readonly costs: { readonly path: string; readonly cost: number }[];
}

interface Place {
  readonly path: string;
  readonly schema: Structural;
  readonly resource: boolean;
  /** How often values of the schema may occur in one object. */
  readonly cardinality: number;
  /** The list below which old and new values can't be told apart; empty where they can. */
  readonly uncorrelated: string;
}

export const validateRules = (path: string, schema: JsonSchema, cel: CelEngine): readonly FieldError[] => {
  const visit: Visit = { cel, errors: [], costs: [] };
  descend(visit, { path, schema: compileStructural(schema), resource: true, cardinality: 1, uncorrelated: '' });
  const total = visit.costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= TOTAL_LIMIT) return visit.errors;
  const words = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const expensive = visit.costs.toSorted((a, b) => b.cost - a.cost).slice(0, 4);
  return [
    ...visit.errors,
    ...expensive.map(({ path: at }) => field.forbidden(at, words)),
    field.forbidden(
      path,
      costWords('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total, TOTAL_LIMIT),
    ),
  ];
};

const costWords = (name: string, cost: number, limit: number): string => {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${name} exceeds budget by factor of ${factor} (${advice})`;
};

const descend = (visit: Visit, place: Place): void => {
  const { path, schema, cardinality } = place;
  const many = childCardinality(schema, cardinality);
  if (schema.additional !== undefined) {
    const at = field.child(path, 'additionalProperties');
    descend(visit, {
      ...place,
      path: at,
      schema: schema.additional,
      resource: schema.additional.embedded,
      cardinality: many,
    });
  }
  for (const [name, property] of schema.properties) {
    const at = field.key(field.child(path, 'properties'), name);
    descend(visit, { ...place, path: at, schema: property, resource: property.embedded });
  }
  if (schema.items !== undefined) {
    const uncorrelated = place.uncorrelated === '' && schema.listType !== 'map' ? path : place.uncorrelated;
    const at = field.child(path, 'items');
    const { items } = schema;
    descend(visit, { path: at, schema: items, resource: items.embedded, cardinality: many, uncorrelated });
  }
  for (const [at, rule] of schema.rules.entries()) {
    checkRule(visit, place, field.index(field.child(path, 'x-kubernetes-validations'), at), rule);
  }
};

const RULE_FIELDS = ['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf'] as const;

/** A rule as kube-apiserver's internal type prints it. */
const shownRule = (rule: ValidationRule): field.Verbatim => {
  const parts = RULE_FIELDS.map((name) => {
    const nothing = name === 'reason' || name === 'optionalOldSelf' ? null : '';
    return `"${name.charAt(0).toUpperCase()}${name.slice(1)}":${goJson(rule[name] ?? nothing)}`;
  });
  return new field.Verbatim(`{${parts.join(',')}}`);
};

const compile = (cel: CelEngine, expression: string, rule: ValidationRule): CompiledExpression | string => {
  try {
    return cel.compile(expression, rule.optionalOldSelf === true);
  } catch (error) {
    return compileWords(expression, error, (name) => cel.isFunction(name));
  }
};

const compileFor = (
  visit: Visit,
  place: Place,
  expression: string,
  rule: ValidationRule,
): CompiledExpression | string => {
  const compiled = compile(visit.cel, expression, rule);
  if (typeof compiled === 'string') return compiled;
  const stray = findUndefinedField(compiled.ast, place.schema, place.resource, rule.optionalOldSelf !== true);
  return stray === undefined ? compiled : located(expression, stray.position, `undefined field '${stray.name}'`);
};

const checkRule = (visit: Visit, place: Place, path: string, rule: ValidationRule): void => {
  const { errors } = visit;
  const rulePath = field.child(path, 'rule');
  const compiled = compileFor(visit, place, rule.rule, rule);
  if (typeof compiled === 'string') {
    errors.push(field.invalid(rulePath, shownRule(rule), `compilation failed: ${compiled}`));
    return;
  }
  if (compiled.type !== 'bool' && compiled.type !== 'dyn') {
    errors.push(field.invalid(rulePath, shownRule(rule), 'cel expression must evaluate to a bool'));
    return;
  }
  const cost = estimateCost(compiled.ast, place.schema) * place.cardinality;
  if (cost > RULE_LIMIT) errors.push(field.forbidden(rulePath, costWords('estimated rule cost', cost, RULE_LIMIT)));
  visit.costs.push({ path: rulePath, cost });
  checkMessage(visit, place, path, rule);
  checkOldSelf(errors, place, path, rule, compiled.usesOldSelf);
};

const checkMessage = (visit: Visit, place: Place, path: string, rule: ValidationRule): void => {
  const expression = rule.messageExpression ?? '';
  if (expression === '') return;
  const at = field.child(path, 'messageExpression');
  const compiled = compileFor(visit, place, expression, rule);
  if (typeof compiled === 'string') {
    visit.errors.push(field.invalid(at, shownRule(rule), `messageExpression compilation failed: ${compiled}`));
  } else if (compiled.type !== 'string' && compiled.type !== 'dyn') {
    visit.errors.push(field.invalid(at, shownRule(rule), 'messageExpression must evaluate to a string'));
  }
};

const checkOldSelf = (
  errors: FieldError[],
  place: Place,
  path: string,
  rule: ValidationRule,
  usesOldSelf: boolean,
): void => {
  if (usesOldSelf && place.uncorrelated !== '') {
    const words = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
    errors.push(field.invalid(field.child(path, 'rule'), rule.rule, words));
  } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const words = 'may not be set if oldSelf is not used in rule';
    errors.push(field.invalid(field.child(path, 'optionalOldSelf'), rule.optionalOldSelf, words));
  }
};
