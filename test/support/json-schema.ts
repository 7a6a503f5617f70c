/** As much of JSON Schema as schemas/ uses. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
}

/** Where and how a value breaks the schema; empty when it doesn't. */
export function schemaErrors(schema: Schema, value: unknown, path = '$'): readonly string[] {
  if (schema.anyOf) {
    const all = schema.anyOf.map((option) => schemaErrors(option, value, path));
    return all.some((errors) => errors.length === 0) ? [] : (all[0] ?? []);
  }
  if ('const' in schema && value !== schema.const) return [`${path} is not ${JSON.stringify(schema.const)}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path}: ${JSON.stringify(value)} is not allowed`];
  if (schema.type && !hasType(value, schema.type)) return [`${path}: ${JSON.stringify(value)} is no ${schema.type}`];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => (schema.items ? schemaErrors(schema.items, item, `${path}[${i}]`) : []));
  }
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, item]) => {
      const own = schema.properties?.[name] ?? schema.additionalProperties;
      if (own === false) return [`${path}.${name} is not described`];
      return own ? schemaErrors(own, item, `${path}.${name}`) : [];
    }),
  ];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
