import { isTable, type TomlValue } from './write-toml.ts';

/** What a setting may be. */
export type Shape =
  | 'string'
  | 'integer'
  | 'uint32'
  | 'boolean'
  | { readonly listOf: Shape }
  | { readonly mapOf: Shape }
  | { readonly fields: Fields };

/** Settings in the order in which they are written. Those of `always` are written even if they are not set. */
export interface Fields {
  readonly [name: string]: Shape | { readonly always: TomlValue; readonly shape: Shape };
}

/** A value in its shape. */
export interface Typed {
  readonly value: TomlValue;
  /** Settings that nobody knows, which are not in `value`. */
  readonly unknown: readonly string[];
}

/**
 * Keeps of some TOML what has a place in the shape.
 *
 * @param path of the value, for the errors
 * @throws when something is of another kind than it must be.
 */
export function typedToml(value: TomlValue, shape: Shape, path: string): Typed {
  if (typeof shape === 'string') {
    if (kindOf(value) !== (shape === 'uint32' ? 'integer' : shape)) throw mismatch(value, shape, path);
    if (shape === 'uint32' && BigInt.asUintN(32, value as bigint) !== value) {
      throw new Error(`toml: ${path} must be a uint32, not ${value}`);
    }
    return { value, unknown: [] };
  }
  if ('listOf' in shape) {
    if (!Array.isArray(value)) throw mismatch(value, 'list', path);
    const items = value.map((item, at) => typedToml(item, shape.listOf, `${path}[${at}]`));
    return { value: items.map((item) => item.value), unknown: items.flatMap((item) => item.unknown) };
  }
  if (!isTable(value)) throw mismatch(value, 'table', path);
  const table = value as Readonly<Record<string, TomlValue>>;
  return 'mapOf' in shape ? typedMap(table, shape.mapOf, path) : typedFields(table, shape.fields, path);
}

function typedMap(table: Readonly<Record<string, TomlValue>>, shape: Shape, path: string): Typed {
  const entries = Object.entries(table).map(([key, item]) => [key, typedToml(item, shape, `${path}.${key}`)] as const);
  return {
    value: Object.fromEntries(entries.map(([key, item]) => [key, item.value])),
    unknown: entries.flatMap(([, item]) => item.unknown),
  };
}

function typedFields(table: Readonly<Record<string, TomlValue>>, fields: Fields, path: string): Typed {
  const known = new Map<string, TomlValue>();
  const given = inLowerCase(table);
  const unknown = Object.keys(table)
    .filter((key) => !Object.hasOwn(fields, key.toLowerCase()))
    .map((key) => `${path}.${key}`);
  for (const [name, field] of Object.entries(fields)) {
    const { shape, always } =
      typeof field === 'object' && 'shape' in field ? field : { shape: field, always: undefined };
    const value = given.get(name);
    if (value === undefined) {
      if (always !== undefined) known.set(name, always);
      continue;
    }
    const typed = typedToml(value, shape, `${path}.${name}`);
    unknown.push(...typed.unknown);
    known.set(name, typed.value);
  }
  return { value: known, unknown };
}

/** Names of settings are read in whatever case, as go-toml does; of two that differ in nothing else the last one counts. */
export function inLowerCase(table: Readonly<Record<string, TomlValue>>): ReadonlyMap<string, TomlValue> {
  return new Map(Object.entries(table).map(([key, value]) => [key.toLowerCase(), value]));
}

function kindOf(value: TomlValue): string {
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return 'float';
  if (Array.isArray(value)) return 'list';
  if (isTable(value)) return 'table';
  return typeof value === 'object' ? 'time' : typeof value;
}

const mismatch = (value: TomlValue, wanted: string, path: string): Error =>
  new Error(`toml: ${path} must be a ${wanted}, not a ${kindOf(value)}`);
