import { jsonEqual } from '../../kube/json-equal.ts';
import { isObject } from '../json.ts';
import type { FieldSchema, Json, JsonObject } from '../kind.ts';
import { type FieldSet, FieldSetBuilder, withoutTrees } from './field-set.ts';
import { childOrUntyped, isAtomic, itemElement, type Shape, shapeOf } from './shape.ts';

/** What differs between two objects; no path is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares two objects field by field, as far as the schema tells fields apart. */
export function compareTyped(left: Json, right: Json, schema: FieldSchema): Comparison {
  const walk = new CompareWalk();
  walk.compare(left, right, schema);
  return { removed: walk.removed.build(), modified: walk.modified.build(), added: walk.added.build() };
}

/** The comparison without anything at or below the paths of a set. */
export function ignoring({ removed, modified, added }: Comparison, set: FieldSet | undefined): Comparison {
  if (set === undefined) return { removed, modified, added };
  return {
    removed: withoutTrees(removed, set),
    modified: withoutTrees(modified, set),
    added: withoutTrees(added, set),
  };
}

type Value = Json | undefined;
type ListSchema = Extract<FieldSchema, { kind: 'list' }>;

class CompareWalk {
  readonly removed = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly added = new FieldSetBuilder();
  readonly #path: string[] = [];

  compare(left: Value, right: Value, schema: FieldSchema): void {
    if (left === right) return;
    const leftShape = shapeOf(schema, left);
    const rightShape = shapeOf(schema, right);
    let leaf: boolean;
    if (right === undefined) leaf = this.#visit(left, right, leftShape);
    else {
      if (left !== undefined && leftShape.kind !== rightShape.kind) this.#visit(left, right, leftShape);
      leaf = this.#visit(left, right, rightShape);
    }
    if (leaf) return;
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
  }

  /** True if the value was compared as one leaf. */
  #visit(left: Value, right: Value, shape: Shape): boolean {
    if (shape.kind === 'scalar') return this.#leaf(left, right);
    if (shape.kind === 'map') {
      const [leftMap, rightMap] = [isObject(left) ? left : {}, isObject(right) ? right : {}];
      if (isAtomic(shape.schema) || (isEmpty(leftMap) && isEmpty(rightMap))) return this.#leaf(left, right);
      this.#fields(leftMap, rightMap, shape.schema);
      return false;
    }
    const [leftList, rightList] = [asList(left), asList(right)];
    const empty = leftList.length === 0 && rightList.length === 0;
    if (shape.schema.listType === 'atomic' || empty) return this.#leaf(left, right);
    this.#items(leftList, rightList, shape.schema);
    return false;
  }

  #leaf(left: Value, right: Value): true {
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
    else if (!jsonEqual(left, right)) this.modified.insert(this.#path);
    return true;
  }

  #child(element: string, left: Value, right: Value, schema: FieldSchema): void {
    this.#path.push(element);
    this.compare(left, right, schema);
    this.#path.pop();
  }

  #fields(left: JsonObject, right: JsonObject, schema: FieldSchema): void {
    for (const key of Object.keys(left)) {
      const other = Object.hasOwn(right, key) ? right[key] : undefined;
      if (left[key] === other) continue;
      this.#child(`f:${key}`, left[key], other, childOrUntyped(schema, key));
    }
    for (const key of Object.keys(right)) {
      if (right[key] === undefined || (Object.hasOwn(left, key) && left[key] !== undefined)) continue;
      this.#child(`f:${key}`, undefined, right[key], childOrUntyped(schema, key));
    }
  }

  #items(left: readonly Json[], right: readonly Json[], schema: ListSchema): void {
    const [lefts, rights] = [byElement(left, schema), byElement(right, schema)];
    for (const element of new Set([...lefts.keys(), ...rights.keys()])) {
      this.#item(element, lefts.get(element) ?? [], rights.get(element) ?? [], schema.items());
    }
  }

  /** Items with a key of their own are compared inside; duplicates count as one leaf. */
  #item(element: string, left: readonly Json[], right: readonly Json[], schema: FieldSchema): void {
    if (left.length <= 1 && right.length <= 1) {
      this.#child(element, left[0], right[0], schema);
    } else if (left.length > 1 && right.length > 1) {
      if (!jsonEqual(left, right)) this.modified.insert([...this.#path, element]);
    } else if (left.length > 1) {
      if (right.length > 0) this.#child(element, undefined, right[0], schema);
      this.removed.insert([...this.#path, element]);
    } else {
      if (left.length > 0) this.#child(element, left[0], undefined, schema);
      this.added.insert([...this.#path, element]);
    }
  }
}

const asList = (value: Value): readonly Json[] => (Array.isArray(value) ? value : []);

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

function byElement(items: readonly Json[], schema: ListSchema): ReadonlyMap<string, readonly Json[]> {
  const groups = new Map<string, Json[]>();
  for (const item of items) {
    const element = itemElement(schema, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
