import { isObject } from '../json.ts';
import type { FieldSchema, Json, JsonObject } from '../kind.ts';
import { goPrint } from './go-print.ts';
import { isJsonList } from './json-list.ts';
import { PatchError } from './patch-error.ts';

type ListSchema = Extract<FieldSchema, { kind: 'list' }>;

/** Whether a patch's list is merged into the old one instead of replacing it. */
export const mergesItems = (schema: FieldSchema): schema is ListSchema =>
  schema.kind === 'list' && (schema.patchStrategy?.split(',').includes('merge') ?? false);

/**
 * Merges a list with patch strategy `merge`: objects by their merge key (honouring `$patch` in an item), scalars as a set.
 * Items of the patch keep the patch's order, the others the original's.
 */
export function mergeLists(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string | undefined,
  merge: (original: JsonObject, patch: JsonObject) => JsonObject,
): readonly Json[] {
  const items = [...original, ...patch];
  if (items.length === 0) return original;
  if (!isObject(items[0])) {
    checkScalars(items);
    return orderLike([...new Set(items)], patch, original, undefined);
  }
  if (mergeKey === undefined) throw new PatchError(500, 'cannot merge lists without merge key for ');
  const [kept, changes] = applyItemDirectives(asObjects(original), asObjects(patch), mergeKey);
  const merged = [...kept];
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const index = merged.findIndex((item) => item[mergeKey] === key);
    const old = merged[index];
    if (old === undefined) merged.push(change);
    else merged[index] = merge(old, change);
  }
  return orderLike(merged, changes, kept, mergeKey);
}

function checkScalars(items: readonly Json[]): void {
  if (items.some(isJsonList)) throw new PatchError(422, 'lists of lists are not supported');
  if (new Set(items.map((item) => typeof item)).size > 1) {
    throw new PatchError(500, `list element types are not identical: ${goPrint(items)}`);
  }
}

function asObjects(list: readonly Json[]): readonly JsonObject[] {
  if (list.every(isObject)) return list;
  throw new PatchError(500, `list element types are not identical: ${goPrint(list)}`);
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = item[mergeKey];
  if (key === undefined) {
    throw new PatchError(500, `map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return key;
}

/** `$patch: delete` removes the items with its key, `$patch: replace` all of them. */
function applyItemDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): readonly [readonly JsonObject[], readonly JsonObject[]] {
  let kept = original;
  let replaces = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, '$patch')) continue;
    switch (item.$patch) {
      case 'delete': {
        const key = keyOf(item, mergeKey);
        kept = kept.filter((old) => old[mergeKey] !== key);
        break;
      }
      case 'replace':
        replaces = true;
        break;
      case 'merge':
        throw new PatchError(500, 'merging lists cannot yet be specified in the patch');
      default:
        throw new PatchError(500, `unknown patch type: ${goPrint(item.$patch)} in map: ${goPrint(item)}`);
    }
  }
  const changes = patch.filter((item) => !Object.hasOwn(item, '$patch'));
  return replaces ? [changes, []] : [kept, changes];
}

/**
 * Puts items named by `order` in that order, and the rest, in the order of `original`, between them: a rest item goes before
 * the next ordered item if it came before it in the original.
 */
export function orderLike(
  items: readonly Json[],
  order: readonly Json[],
  original: readonly Json[],
  mergeKey: string | undefined,
): readonly Json[] {
  const identity = (item: Json): Json | undefined =>
    mergeKey === undefined ? item : isObject(item) ? keyOf(item, mergeKey) : undefined;
  const places = (list: readonly Json[]): ReadonlyMap<Json | undefined, number> =>
    new Map(list.map((item, index): [Json | undefined, number] => [identity(item), index]).reverse());
  const [ordered, originally] = [places(order), places(original)];
  const sort = (list: readonly Json[], places: ReadonlyMap<Json | undefined, number>): Json[] =>
    sortByPlace(list, (item) => places.get(identity(item)));
  const named = sort(
    items.filter((item) => ordered.has(identity(item))),
    ordered,
  );
  const rest = sort(
    items.filter((item) => !ordered.has(identity(item))),
    originally,
  );
  const result: Json[] = [];
  for (const item of named) {
    const place = originally.get(identity(item));
    while (place !== undefined && rest[0] !== undefined && (originally.get(identity(rest[0])) ?? Infinity) < place) {
      result.push(...rest.splice(0, 1));
    }
    result.push(item);
  }
  return [...result, ...rest];
}

/**
 * Insertion sort with upstream's comparison, which takes an item without a place to be less than any: such items, which only
 * an inconsistent patch has, come out in the order that upstream gives them.
 */
function sortByPlace(items: readonly Json[], placeOf: (item: Json) => number | undefined): Json[] {
  const result: Json[] = [];
  for (const item of items) {
    const place = placeOf(item);
    let index = result.length;
    for (; index > 0; index--) {
      const before = placeOf(result[index - 1] ?? null);
      if (place !== undefined && before !== undefined && place >= before) break;
    }
    result.splice(index, 0, item);
  }
  return result;
}
