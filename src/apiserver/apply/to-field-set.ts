import { isObject } from '../json.ts';
import type { FieldSchema, Json } from '../kind.ts';
import { above, below, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { childOrUntyped, isAtomic, isDeclared, itemElement, type Shape, shapeOf } from './shape.ts';

/** The paths that somebody who applies this value owns. */
export function toFieldSet(value: Json, schema: FieldSchema): FieldSet {
  const builder = new FieldSetBuilder();
  collect(value, schema, [], builder);
  return builder.build();
}

function collect(value: Json, schema: FieldSchema, path: string[], set: FieldSetBuilder): void {
  const shape = shapeOf(schema, value);
  if (shape.kind === 'scalar' || isLeaf(shape)) {
    set.insert(path);
  } else if (shape.kind === 'map') {
    if (isObject(value)) collectMap(value, shape.schema, path, set);
  } else if (Array.isArray(value)) {
    collectItems(value, shape.schema, path, set);
  }
}

const isLeaf = (shape: Exclude<Shape, { kind: 'scalar' }>): boolean =>
  shape.kind === 'list' ? shape.schema.listType === 'atomic' : isAtomic(shape.schema);

function collectMap(
  value: { readonly [key: string]: Json | undefined },
  schema: FieldSchema,
  path: string[],
  set: FieldSetBuilder,
): void {
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child === undefined) continue;
    path.push(`f:${key}`);
    collect(child, childOrUntyped(schema, key), path, set);
    const empty = child === null || (isObject(child) && Object.keys(child).length === 0);
    if (empty || !isDeclared(schema, key)) set.insert(path);
    path.pop();
  }
}

function collectItems(
  items: readonly Json[],
  schema: Extract<FieldSchema, { kind: 'list' }>,
  path: string[],
  set: FieldSetBuilder,
): void {
  const elements = items.map((item) => itemElement(schema, item));
  const counts = new Map<string, number>();
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [index, element] of elements.entries()) {
    path.push(element);
    // Duplicates can't be told apart, so only their common key is owned.
    if (counts.get(element) === 1) collect(items[index] ?? null, schema.items(), path, set);
    set.insert(path);
    path.pop();
  }
}

/** Adds the fields of structs that the set only passes through, so that they can be subtracted like the rest. */
export function withNamedFields(set: FieldSet, schema: FieldSchema): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element of Object.keys(set)) {
    const child = below(set, element);
    if (element === '.' || child === undefined) continue;
    const key = element.slice(2);
    const named = element.startsWith('f:') && isDeclared(schema, key);
    const node = above(child.member || named, withNamedFields(child.set, schemaBelow(schema, element)));
    if (node !== undefined) result[element] = node;
  }
  return result;
}

function schemaBelow(schema: FieldSchema, element: string): FieldSchema {
  if (element.startsWith('f:')) return childOrUntyped(schema, element.slice(2));
  return schema.kind === 'list' && element.startsWith('k:') ? schema.items() : { kind: 'untyped' };
}
