import { isObject } from '../json.ts';
import type { FieldSchema, Json } from '../kind.ts';
import { goPrint } from '../patch/index.ts';
import { childSchema, itemElement, ListItemError, printElement, shapeOf } from './shape.ts';

/**
 * What keeps a value from being read with a schema, one line per fault with its path, in structured-merge-diff's words. An
 * applied configuration must have no fault; decoding and validation find the rest.
 */
export function checkTyped(value: Json, schema: FieldSchema): readonly string[] {
  return check(value, schema).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

const fault = (message: string): readonly Fault[] => [{ path: '', message }];

const under = (element: string, faults: readonly Fault[]): readonly Fault[] =>
  faults.map(({ path, message }) => ({ path: printElement(element) + path, message }));

function check(value: Json, schema: FieldSchema): readonly Fault[] {
  if (value === null) return [];
  if (schema.kind === 'scalar') return checkScalar(value, schema.type);
  const shape = shapeOf(schema, value);
  if (shape.kind === 'scalar') return [];
  if (shape.kind === 'map') {
    if (!isObject(value)) return fault(`expected map, got ${pointer(value)}`);
    return checkFields(value, shape.schema);
  }
  if (!Array.isArray(value)) return fault(`expected list, got ${pointer(value)}`);
  return checkItems(value, shape.schema);
}

const pointer = (value: Json): string => `&{${goPrint(value)}}`;

function checkFields(value: { readonly [key: string]: Json | undefined }, schema: FieldSchema): readonly Fault[] {
  const faults: Fault[] = [];
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child === undefined) continue;
    const field = childSchema(schema, key);
    if (field === undefined) return [...faults, ...under(`f:${key}`, fault('field not declared in schema'))];
    faults.push(...under(`f:${key}`, check(child, field)));
  }
  return faults;
}

function checkItems(items: readonly Json[], schema: Extract<FieldSchema, { kind: 'list' }>): readonly Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (schema.listType !== 'atomic') {
      try {
        element = itemElement(schema, item);
      } catch (error) {
        if (!(error instanceof ListItemError)) throw error;
        return [...faults, ...fault(`element ${index}: ${error.message}`)];
      }
      if (seen.has(element)) faults.push(...fault(`duplicate entries for key ${printElement(element)}`));
      seen.add(element);
    }
    faults.push(...under(element, check(item, schema.items())));
  }
  return faults;
}

function checkScalar(value: Json, type: Extract<FieldSchema, { kind: 'scalar' }>['type']): readonly Fault[] {
  switch (type) {
    case 'string':
    case 'bytes':
      return typeof value === 'string'
        ? []
        : fault(`expected string, got &value.valueUnstructured{Value:${goValue(value)}}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : fault(`expected boolean, got ${pointer(value)}`);
    case 'integer':
    case 'number':
      return typeof value === 'number' ? [] : fault(`expected numeric (int or float), got ${goType(value)}`);
    default:
      return typeof value === 'object' ? fault(`expected any scalar, got ${pointer(value)}`) : [];
  }
}

/** As Go's `%T` names what it decoded. */
function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** As Go's `%#v` prints what it decoded. */
function goValue(value: Json): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goValue).join(', ')}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  const fields = keys.map((key) => `${JSON.stringify(key)}:${goValue(value[key] ?? null)}`);
  return `map[string]interface {}{${fields.join(', ')}}`;
}
