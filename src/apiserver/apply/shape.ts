import { isObject } from '../json.ts';
import type { FieldSchema, Json, JsonObject } from '../kind.ts';

const UNTYPED: FieldSchema = { kind: 'untyped' };

type ListSchema = Extract<FieldSchema, { kind: 'list' }>;
type MapSchema = Extract<FieldSchema, { kind: 'map' | 'struct' | 'untyped' }>;

/** How a value is walked: as one leaf, as a list or as a map. */
export type Shape =
  | { readonly kind: 'scalar' }
  | { readonly kind: 'list'; readonly schema: ListSchema }
  | { readonly kind: 'map'; readonly schema: MapSchema };

const SCALAR: Shape = { kind: 'scalar' };
const UNTYPED_MAP: Shape = { kind: 'map', schema: UNTYPED as MapSchema };
const UNTYPED_LIST: Shape = { kind: 'list', schema: { kind: 'list', items: () => UNTYPED, listType: 'atomic' } };

/** The shape that the schema prescribes; where it prescribes none, the value's own, with atomic lists and granular maps. */
export function shapeOf(schema: FieldSchema, value: Json | undefined): Shape {
  switch (schema.kind) {
    case 'scalar':
      return SCALAR;
    case 'list':
      return { kind: 'list', schema };
    case 'map':
    case 'struct':
      return { kind: 'map', schema };
    case 'untyped':
      if (Array.isArray(value)) return UNTYPED_LIST;
      return typeof value === 'object' ? UNTYPED_MAP : SCALAR;
  }
}

export const isAtomic = (schema: MapSchema): boolean => schema.kind !== 'untyped' && schema.atomic;

/** Whether the key is a field that the schema knows by name. */
export const isDeclared = (schema: FieldSchema, key: string): boolean =>
  schema.kind === 'struct' && Object.hasOwn(schema.fields, key);

/** The schema of a key's value; undefined where the schema doesn't allow the key. */
export function childSchema(schema: FieldSchema, key: string): FieldSchema | undefined {
  switch (schema.kind) {
    case 'map':
      return schema.values();
    case 'struct':
      if (Object.hasOwn(schema.fields, key)) return schema.fields[key]?.();
      return schema.preserveUnknown ? UNTYPED : undefined;
    default:
      return UNTYPED;
  }
}

/** The same, untyped where the schema doesn't know. */
export const childOrUntyped = (schema: FieldSchema, key: string): FieldSchema => childSchema(schema, key) ?? UNTYPED;

/** An item of a list that can't be told from the others. */
export class ListItemError extends Error {
  override readonly name = 'ListItemError';
}

/**
 * The path element of a list's item: `k:{…}` with the keys of a list map (defaults filled in), `v:…` in a set.
 *
 * @throws {ListItemError} in the words of structured-merge-diff.
 */
export function itemElement(list: ListSchema, item: Json): string {
  return list.listType === 'map' ? keyElement(list, item) : valueElement(item);
}

function keyElement(list: ListSchema, item: Json): string {
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  if (!isObject(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  const names = list.mapKeys ?? [];
  const keys: [string, Json][] = [];
  for (const name of names) {
    const value = item[name] ?? defaultOf(list.items(), name);
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0 && names.length > 0) {
    const quoted = `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
    throw new ListItemError(
      `associative list with keys has an element that omits all key fields ${quoted} (and doesn't have default values for any key fields)`,
    );
  }
  const sorted = keys.length > 1 ? keys.sort(([a], [b]) => (a < b ? -1 : 1)) : keys;
  return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
}

function defaultOf(items: FieldSchema, name: string): Json | undefined {
  const field = isDeclared(items, name) ? childSchema(items, name) : undefined;
  return field?.kind === 'scalar' ? field.default : undefined;
}

function valueElement(item: Json): string {
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (isObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  return `v:${JSON.stringify(item)}`;
}

/** `.spec.containers[name="c"].image` */
export const printPath = (path: readonly string[]): string => path.map(printElement).join('');

export function printElement(element: string): string {
  const text = element.slice(2);
  switch (element.charAt(0)) {
    case 'k': {
      const keys = Object.entries(JSON.parse(text) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${text}]`;
    case 'i':
      return `[${text}]`;
    default:
      return `.${text}`;
  }
}
