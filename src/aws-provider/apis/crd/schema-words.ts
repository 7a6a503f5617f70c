import type { JsonSchema, ValidationRule } from '../../../apis/crds/json-schema.ts';

/** Schemas of one value, in one line each. */

export const rule = (message: string, expression: string): ValidationRule => ({ message, rule: expression });

export const text = (description: string, rest: JsonSchema = {}): JsonSchema => ({
  description,
  type: 'string',
  ...rest,
});

export const flag = (description: string): JsonSchema => ({ description, type: 'boolean' });

export const integer = (description: string, format: 'int32' | 'int64', rest: JsonSchema = {}): JsonSchema => ({
  description,
  type: 'integer',
  format,
  ...rest,
});
