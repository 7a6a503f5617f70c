import { isObject } from '../json.ts';
import type { FieldSchema, Json, JsonObject } from '../kind.ts';
import { below, type FieldSet, isEmptySet } from './field-set.ts';
import { childOrUntyped, isAtomic, itemElement, shapeOf } from './shape.ts';

/** The value without the fields and items at the paths of the set; null where nothing is left of a map or list. */
export function removeItems(value: Json, set: FieldSet, schema: FieldSchema): Json {
  const shape = shapeOf(schema, value);
  if (shape.kind === 'scalar') return value;
  if (shape.kind === 'map') {
    return isObject(value) && !isAtomic(shape.schema) ? removeFields(value, set, shape.schema) : null;
  }
  return Array.isArray(value) && shape.schema.listType !== 'atomic' ? removeFromList(value, set, shape.schema) : null;
}

function removeFields(value: JsonObject, set: FieldSet, schema: FieldSchema): Json {
  const kept: [string, Json][] = [];
  for (const [key, child] of Object.entries(value)) {
    const selected = below(set, `f:${key}`);
    if (child === undefined || selected?.member) continue;
    kept.push([key, prune(child, selected?.set, childOrUntyped(schema, key))]);
  }
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function removeFromList(items: readonly Json[], set: FieldSet, schema: Extract<FieldSchema, { kind: 'list' }>): Json {
  const kept: Json[] = [];
  for (const item of items) {
    const selected = below(set, itemElement(schema, item));
    if (!selected?.member) kept.push(prune(item, selected?.set, schema.items()));
  }
  return kept.length === 0 ? null : kept;
}

const prune = (value: Json, set: FieldSet | undefined, schema: FieldSchema): Json =>
  set === undefined || isEmptySet(set) ? value : removeItems(value, set, schema);
