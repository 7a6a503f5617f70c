/** A few words to write JSON Schemas with. Objects are closed: what is not described may not appear. */

export type Schema = Readonly<Record<string, unknown>>;

export const string: Schema = { type: 'string' };
export const number: Schema = { type: 'number' };
export const integer: Schema = { type: 'integer' };
export const boolean: Schema = { type: 'boolean' };

export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
/** Any key, each with such a value. */
export const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object of these properties; a name that ends in `?` may be missing. */
export function object(properties: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(properties);
  return {
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), properties[name]])),
    additionalProperties: false,
  };
}

/** A report: an object with apiVersion and kind. */
export function report(kind: string, description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const { type, ...body } = object({
    apiVersion: { const: 'cli.karpenter.sh/v1alpha1' },
    kind: { const: kind },
    ...properties,
  });
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: kind, description, type, ...body };
}
