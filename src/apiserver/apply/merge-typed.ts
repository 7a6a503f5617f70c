import { isObject } from '../json.ts';
import type { FieldSchema, Json, JsonObject } from '../kind.ts';
import { childOrUntyped, isAtomic, itemElement, shapeOf } from './shape.ts';

/** The live value with the applied one laid over it: maps and keyed lists merge, anything else is the applied one's. */
export function mergeTyped(live: Json, applied: Json, schema: FieldSchema): Json {
  const [liveShape, shape] = [shapeOf(schema, live), shapeOf(schema, applied)];
  if (shape.kind === 'scalar' || liveShape.kind !== shape.kind) return applied;
  if (shape.kind === 'map') {
    const [left, right] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
    if (isAtomic(shape.schema) || (isEmpty(left) && isEmpty(right))) return applied;
    return mergeMaps(left, right, shape.schema);
  }
  const [left, right] = [asList(live), asList(applied)];
  if (shape.schema.listType === 'atomic' || (left.length === 0 && right.length === 0)) return applied;
  return mergeItems(left, right, shape.schema);
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;
const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

function mergeMaps(live: JsonObject, applied: JsonObject, schema: FieldSchema): JsonObject {
  const result = new Map<string, Json | undefined>(Object.entries(live));
  for (const [key, value] of Object.entries(applied)) {
    const old = result.get(key);
    if (value === undefined) continue;
    result.set(key, old === undefined ? value : mergeTyped(old, value, childOrUntyped(schema, key)));
  }
  return Object.fromEntries(result);
}

interface Item {
  readonly element: string;
  readonly value: Json;
}

/**
 * Applied items keep their order, and so do live ones, with one exception: an item that both have stands where the applier
 * wants it (structured-merge-diff typed/merge.go).
 */
function mergeItems(
  live: readonly Json[],
  applied: readonly Json[],
  schema: Extract<FieldSchema, { kind: 'list' }>,
): readonly Json[] {
  const index = (items: readonly Json[]): readonly Item[] =>
    items.map((value) => ({ element: itemElement(schema, value), value }));
  const [left, right] = [index(live), index(applied)];
  const liveByElement = uniqueValues(left);
  const appliedElements = new Set(right.map(({ element }) => element));
  const shared = right.filter(({ element }) => liveByElement.has(element));
  const result: Json[] = [];
  const merged = new Set<string>();
  const take = ({ element, value }: Item): void => {
    const old = liveByElement.get(element);
    result.push(old === undefined ? value : mergeTyped(old, value, schema.items()));
    merged.add(element);
    if (shared[0]?.element === element) shared.shift();
  };
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [old, next] = [left[l], right[r]];
    if (old !== undefined && next !== undefined) {
      if (old.element === next.element) {
        take(next);
        l++;
        r++;
        continue;
      }
      if (appliedElements.has(old.element) && shared[0] !== undefined && shared[0].element !== old.element) {
        l++;
        continue;
      }
    }
    if (old !== undefined) {
      if (!appliedElements.has(old.element)) {
        result.push(old.value);
        l++;
        continue;
      }
      if (merged.has(old.element)) l++;
    }
    if (next !== undefined) {
      take(next);
      r++;
    }
  }
  return result;
}

/** Values by element; a live duplicate has no value that an applied item could be merged into. */
function uniqueValues(items: readonly Item[]): ReadonlyMap<string, Json | undefined> {
  const values = new Map<string, Json | undefined>();
  for (const { element, value } of items) values.set(element, values.has(element) ? undefined : value);
  return values;
}
