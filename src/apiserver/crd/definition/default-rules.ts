import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import { jsonEqual } from '../../../kube/json-equal.ts';
import type { FieldError, Json } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import type { CelEngine } from '../cel/cel-engine.ts';
import { compileRules, RuleRunner } from '../cel/rule-set.ts';
import { validateEmbedded } from '../embedded-resources.ts';
import { validateOpenApi } from '../openapi.ts';
import { pruneValue } from '../prune.ts';
import { compileStructural, type Structural } from '../structural.ts';

/** Defaults must be pruned and valid themselves (apiextensions' schema/defaulting.ValidateDefaults). */
export const validateDefaults = (
  path: string,
  schema: JsonSchema,
  cel: CelEngine | undefined,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  visit(path, compileStructural(schema), cel, errors);
  return errors;
};

const visit = (path: string, schema: Structural, cel: CelEngine | undefined, errors: FieldError[]): void => {
  if (schema.defaultValue !== undefined) {
    errors.push(...checkDefault(field.child(path, 'default'), schema, schema.defaultValue, cel));
  }
  if (schema.items !== undefined) visit(field.child(path, 'items'), schema.items, cel, errors);
  for (const [name, property] of schema.properties) {
    visit(field.key(field.child(path, 'properties'), name), property, cel, errors);
  }
};

const checkDefault = (
  path: string,
  schema: Structural,
  value: Json,
  cel: CelEngine | undefined,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  if (!jsonEqual(pruneValue(value, schema), value))
    errors.push(field.invalid(path, value, 'must not have unknown fields'));
  const embedded = validateEmbedded(path, schema, value);
  if (embedded.length > 0) return [...errors, ...embedded];
  const values = validateOpenApi(path, schema, value);
  if (values.length > 0) return [...errors, ...values];
  const rules = cel === undefined ? undefined : compileRules(cel, schema, schema.embedded);
  if (cel === undefined || rules === undefined) return errors;
  const runner = new RuleRunner(cel, rules);
  const kept = runner.validate(value, value, undefined, path);
  return [...errors, ...(kept.length > 0 ? kept : runner.validate(value, undefined, undefined, path))];
};
